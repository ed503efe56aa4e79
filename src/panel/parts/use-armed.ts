import { useEffect, useState } from 'react';

/** PN-5: milliseconds after a change of the layout in which nothing can be pressed by accident. */
const ARMED_AFTER_MS = 600;

/** False from each change of `layout` on, until it stood still for a while. */
export function useArmed(layout: string): boolean {
  const [armed, setArmed] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(layout), ARMED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [layout]);
  return armed === layout;
}
