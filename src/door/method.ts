import type * as z from 'zod';
import { parseParams } from './messages.ts';

/** One method of a door: judges the params, then calls the port. */
export type Method<Port> = (port: Port, params: unknown, name: string) => Promise<unknown>;

export function methodOf<Port, T>(
  schema: z.ZodType<T>,
  run: (port: Port, params: T) => Promise<unknown>,
): Method<Port> {
  return (port, params, name) => run(port, parseParams(schema, params, name));
}
