import { execFile } from 'node:child_process';
import { readFile, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { contains } from '../state/containment.ts';

const run = promisify(execFile);

/** `f_type` of Linux file systems that other machines can write to. Source: linux/magic.h and the modules' own headers. */
const LINUX_NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xfe534d42, 'smb2'],
  [0xff534d42, 'cifs'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x564c, 'ncp'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x19830326, 'beegfs'],
]);

/** FUSE has one `f_type` for all; the mount's name says which one it is. */
const NETWORK_MOUNTS =
  /^(nfs\d?|cifs|smb\w*|9p|ceph|afs|afpfs|webdav|davfs2?|glusterfs|fuse\.(sshfs|rclone|s3fs|gcsfuse|glusterfs|ceph\S*|davfs\S*|curlftpfs|mergerfs-nfs|juicefs|seaweedfs))$/;

/** Reads the machine's file systems; a port so that the refusal can be tested without a network mount. */
export interface FileSystems {
  type(path: string): Promise<number>;
  /** Lines of mounts with their point and type, in mount order. */
  mounts(): Promise<readonly Mount[]>;
}

export interface Mount {
  readonly point: string;
  readonly type: string;
}

/** The name of the network file system a folder lies on; `undefined` for a local one. */
export async function networkFileSystem(path: string, systems: FileSystems = thisMachine): Promise<string | undefined> {
  if (/^(\\\\|\/\/)[^.?]/.test(path)) return 'network share';
  const known = LINUX_NETWORK_TYPES.get((await systems.type(path)) >>> 0);
  const holding = (await systems.mounts()).filter((mount) => contains(mount.point, path));
  // The longest mount point is the one that counts; of equal ones the newest covers the others.
  const mount = holding.reduce<Mount | undefined>(
    (best, next) => (best === undefined || next.point.length >= best.point.length ? next : best),
    undefined,
  );
  if (mount !== undefined && NETWORK_MOUNTS.test(mount.type)) return mount.type;
  return known;
}

const thisMachine: FileSystems = {
  // Only Linux gives file systems stable numbers.
  type: async (path) => (process.platform === 'linux' ? (await statfs(path)).type : 0),
  async mounts() {
    if (process.platform === 'linux') return parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));
    if (process.platform === 'darwin') return parseMacMounts((await run('/sbin/mount')).stdout);
    return [];
  },
};

/** Lines of /proc/self/mountinfo: `36 35 98:0 /root /point options - type source options`. */
export function parseMountInfo(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [before, after] = line.split(' - ');
    const point = before?.split(' ')[4];
    const type = after?.split(' ')[0];
    return point === undefined || type === undefined ? [] : [{ point: unescapeOctal(point), type }];
  });
}

/** Lines of macOS `mount`: `//me@host/share on /Volumes/share (smbfs, nodev, …)`. */
export function parseMacMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const match = / on (.+) \((\w+)/.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ point: match[1], type: match[2] }];
  });
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
