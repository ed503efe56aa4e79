import { useLayoutEffect, useState, type RefObject } from 'react';

/** Two columns of 80 characters fit from here on. */
const WIDE_PX = 900;
const WINDOW_WIDE = `(min-width: ${WIDE_PX}px)`;

/** Is there room for two columns side by side? By the window, and by what the columns stand in. */
export function useWide(within: RefObject<HTMLElement | null>): boolean {
  const [wide, setWide] = useState(() => matchMedia(WINDOW_WIDE).matches);
  useLayoutEffect(() => {
    const element = within.current;
    if (element === null) return;
    const measure = (): void => setWide(matchMedia(WINDOW_WIDE).matches && element.clientWidth >= COLUMNS_MIN_PX);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [within]);
  return wide;
}

/** Below this two columns of code are two columns of fragments. */
const COLUMNS_MIN_PX = 640;
