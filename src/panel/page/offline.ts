import { programUrl } from './trusted-url.ts';

/**
 * Keeps the page itself for when there is no network. Only where the origin is secure, which loopback is; anywhere else
 * the page works as long as it is open.
 */
export async function keepPageOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(programUrl('service-worker.js'));
  } catch {
    // A private window, a full disk, a policy of the browser: the page goes on, and says nothing that it cannot keep.
  }
}
