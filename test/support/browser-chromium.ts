import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FONTS_FILE = 'fonts.conf';
const ROOT = join(import.meta.dirname, '..', '..');

/** The browser of the package, ready to be started: nothing of the system but libc is needed. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

let unpacked: Promise<Chromium> | undefined;

/** Unpacks the browser of `@sparticuz/chromium` once a checkout; several processes may ask at the same time. */
export function chromiumOfPackage(): Promise<Chromium> {
  unpacked ??= unpackOnce();
  return unpacked;
}

async function unpackOnce(): Promise<Chromium> {
  const moduleUrl = import.meta.resolve('@sparticuz/chromium');
  const cache = join(ROOT, 'node_modules', '.cache');
  const dir = join(cache, `chromium-${await versionOf(moduleUrl)}`);
  if (!existsSync(dir)) await unpackInto({ moduleUrl, cache, dir });
  return {
    executablePath: join(dir, 'chromium'),
    // The package ships NSS and expat, which a bare Debian has not got, and a font.
    env: { ...process.env, LD_LIBRARY_PATH: join(dir, 'al2023', 'lib'), FONTCONFIG_FILE: join(dir, FONTS_FILE) },
  };
}

/** The package unpacks into the temp folder, file by file; a folder of its own that is then renamed is whole or not there. */
async function unpackInto(place: { readonly moduleUrl: string; readonly cache: string; readonly dir: string }) {
  await mkdir(place.cache, { recursive: true });
  const fresh = await mkdtemp(join(place.cache, 'chromium-'));
  try {
    const program = 'const { default: chromium } = await import(process.argv[1]); await chromium.executablePath();';
    // The runtime's name makes the package unpack its libraries, too.
    const env = { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, place.moduleUrl], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`@sparticuz/chromium did not unpack: exit ${code}`);
    await writeFile(join(fresh, FONTS_FILE), fontsOf(place.dir));
    await rename(fresh, place.dir);
  } catch (cause) {
    // Another process was quicker, and what it made is whole.
    if (!existsSync(place.dir)) throw cause;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The package's own list of folders names other places. Fonts of the system help out where Open Sans has no glyph. */
function fontsOf(dir: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(dir, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(dir, 'fonts-cache')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}

async function versionOf(moduleUrl: string): Promise<string> {
  const path = join(fileURLToPath(moduleUrl).split('/build/')[0] ?? '', 'package.json');
  // reason: every package.json has a version
  return (JSON.parse(await readFile(path, 'utf8')) as { readonly version: string }).version;
}
