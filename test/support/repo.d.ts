import type { Oid } from "../../src/core/ids.ts";
/** Content by path; null deletes the file. */
export type Files = Readonly<Record<string, string | Buffer | null>>;
export type TestRepoOptions = {
    /** Default: `main`. */
    readonly branch?: string;
    readonly objectFormat?: "sha1" | "sha256";
    /** Make the first commit, of README.md. Default: true. */
    readonly commit?: boolean;
};
export declare class TestRepo implements Disposable {
    #private;
    /** Everything lies in here: worktrees, clones and other scratch go beside `path`. */
    readonly folder: string;
    /** The main worktree. */
    readonly path: string;
    constructor({ branch, objectFormat, commit }?: TestRepoOptions);
    /** Runs git in the main worktree. @returns its output, trimmed. */
    git(...args: string[]): string;
    gitIn(cwd: string, ...args: string[]): string;
    /** The environment in which plain git runs here; nothing of the machine's configuration. */
    get env(): Record<string, string>;
    /** Writes files, in the main worktree unless told otherwise. */
    write(files: Files, cwd?: string): void;
    /** Writes the files, commits everything on the branch checked out in `cwd`. @returns the commit. */
    commit(files: Files, message?: string, cwd?: string): Oid;
    /** The object id that a name stands for. */
    tip(name: string): Oid;
    /** Adds a linked worktree on a new branch. @returns its folder. */
    worktree(branch: string, start?: string): string;
    /** Clones the repository to a folder beside it, e.g. `clone("copy.git", "--bare")`. */
    clone(name: string, ...options: string[]): string;
    /** Makes a bare clone the remote `origin`, fetched, with its HEAD known. @returns its folder. */
    addOrigin(): string;
    [Symbol.dispose](): void;
}
