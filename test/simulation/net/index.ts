import { SimNet, type SimNetOptions } from './net.ts';

/** A net whose devices have enrolled, and have a window each that opens. */
export async function makeNet(options: SimNetOptions): Promise<SimNet> {
  const net = new SimNet(options);
  await net.start();
  return net;
}
