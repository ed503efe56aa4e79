/** The version of package.json, which a test keeps equal: a built program cannot rely on finding that file. */
export const VERSION = '0.1.0';
