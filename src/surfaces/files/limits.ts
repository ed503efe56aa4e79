const KIB = 1024;
const MIB = 1024 * KIB;

/** Every bound of the files surface, with its unit and reason. */
export const FILE_LIMITS = {
  /** Bytes of one file that is written or overwritten: both versions are kept, for review, merge and revert. */
  fileBytesMax: 16 * MIB,
  /** Files and folders in one move or delete: each is named in what a person countersigns. */
  treeEntriesMax: 2_000,
  /** Bytes of all files in one delete: copies are kept so that it can be undone. */
  treeBytesMax: 64 * MIB,
  /** Bytes of all files in one move: each is read to fix what is moved, none is copied. */
  moveBytesMax: 512 * MIB,
  /** UTF-8 bytes of a path and of one name in it, as Linux has them. */
  pathBytesMax: 4_095,
  nameBytesMax: 255,
  /** Symbolic links followed while one path is read, as Linux has it. */
  linksMax: 40,
  /** Edits in one call. */
  editsMax: 200,
  /** Bytes of one file that a read tool answers with. */
  readBytesMax: 16 * MIB,
  /** Paths in one `read_multiple_files`, and bytes of its answer. */
  manyFilesMax: 100,
  manyBytesMax: 32 * MIB,
  /** Entries one search, tree or listing of pending changes walks over: about a second of disk. */
  walkEntriesMax: 100_000,
  /** Entries `directory_tree` and paths `search_files` answer with. */
  answerEntriesMax: 10_000,
  /** Code units of a regular expression or glob. */
  patternCharsMax: 512,
  /** `grep_files`: matches (and the default), lines around each, bytes of one file and of all, length of a shown line. */
  grepMatchesMax: 1_000,
  grepMatchesDefault: 200,
  grepContextMax: 20,
  grepFileBytesMax: 4 * MIB,
  grepBytesMax: 128 * MIB,
  lineCharsMax: 500,
  /** Code units of an answer made of many lines. */
  answerCharsMax: 512 * KIB,
  /** Changed lines a diff looks for before it says only that the file differs. */
  diffLinesMax: 4_000,
  /** Pairs of equal lines that a merge compares in what was changed: a merge costs a second at most. */
  mergePairsMax: 200_000,
  /** Files in denied folders that are compared with a hard-linked file. Beyond it every hard-linked file is denied. */
  deniedScanMax: 10_000,
  /** Permissions of what is newly made. Fixed, so that what was countersigned does not depend on who runs it. */
  newFileMode: 0o644,
  newFolderMode: 0o755,
} as const;
