import { CountersignError } from '../../base/errors.ts';
import type { Run } from './command.ts';

export const run: Run = () => Promise.reject(new CountersignError('not-found', 'pending'));
