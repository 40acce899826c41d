/** Branded ids: the compiler keeps them from being mixed up. */
declare const brand: unique symbol
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/** A full git object id, lower-case hex. */
export type Oid = Branded<string, "Oid">
/** A full ref name, e.g. `refs/heads/main`. */
export type RefName = Branded<string, "RefName">
/** A path as git knows it: relative to the tree's root, `/`-separated, one char per raw byte (latin1). */
export type GitPath = Branded<string, "GitPath">

export type TaskId = Branded<number, "TaskId">
export type JobId = Branded<number, "JobId">
export type LandingId = Branded<number, "LandingId">
/** A UUID that Coppice mints for the agent program to use. */
export type SessionId = Branded<string, "SessionId">

/** The full ref name of a branch. */
export const branchRef = (branch: string): RefName => `refs/heads/${branch}` as RefName

/** The branch of a full ref name, as people call it. */
export const branchOf = (ref: RefName): string => ref.replace(/^refs\/heads\//, "")
