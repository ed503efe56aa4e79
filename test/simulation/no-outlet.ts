import type { Outlet } from '../../src/authority/publish/outlet.ts';

/** Published into nothing: what it costs, and that it never throws. */
export class NoOutlet implements Outlet {
  open(): void {
    return;
  }

  update(): void {
    return;
  }

  close(): void {
    return;
  }

  put(_path: string, read: () => Uint8Array): void {
    read();
  }

  beat(): void {
    return;
  }
}
