/** The part of Trusted Types used here; the platform's own types do not know it yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}

const PROGRAMS = ['diff-worker.js', 'service-worker.js'] as const;

/**
 * The address of a program of this page, in the form its policy asks for. Only the page's own programs have one: what
 * comes from outside never becomes code.
 */
export function programUrl(name: (typeof PROGRAMS)[number]): string {
  const url = new URL(name, document.baseURI).href;
  policy ??= makePolicy();
  // reason: where the platform has Trusted Types, its functions take this object in place of a string
  return (policy === null ? url : policy.createScriptURL(url)) as string;
}

let policy: ReturnType<TrustedTypes['createPolicy']> | null | undefined;

function makePolicy(): ReturnType<TrustedTypes['createPolicy']> | null {
  // reason: only some browsers have it
  const { trustedTypes } = window as unknown as { readonly trustedTypes?: TrustedTypes };
  const own = new Set(PROGRAMS.map((name) => new URL(name, document.baseURI).href));
  return (
    trustedTypes?.createPolicy('countersign', {
      createScriptURL(url) {
        if (own.has(url)) return url;
        throw new TypeError('This is no program of this page.');
      },
    }) ?? null
  );
}
