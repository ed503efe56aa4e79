// The relay as a program. It answers /healthz; rooms and their documents come with the second device.
import { CountersignError } from '../src/base/errors.ts';
import { createHealthServer } from './health.ts';
import { RELAY_LIMITS } from './limits.ts';
import { readPort } from './port.ts';

const HOST = '127.0.0.1';

try {
  run(readPort(process.argv.slice(2), process.env));
} catch (cause) {
  if (!CountersignError.is(cause)) throw cause;
  console.error(cause.message);
  process.exitCode = 2;
}

function run(port: number): void {
  const server = createHealthServer();
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message;
    console.error(`The relay cannot listen on ${HOST}:${port}: ${why}.`);
    process.exitCode = 1;
  });
  server.listen(port, HOST, () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) console.log(`Relay on http://${HOST}:${address.port}`);
  });
  const stop = (): void => {
    server.close();
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), RELAY_LIMITS.stopMsMax).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
