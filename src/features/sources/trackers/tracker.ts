/**
 * A tracker: a service whose issues and comments are read and changed over its API.
 *
 * A tracker only translates. The rules of claims are in tracker-source.ts, once for all of them.
 * Every method throws a {@link SourceError} if the tracker as a whole cannot be used now.
 */
import type { Item } from "../source.ts"
import type { Answer } from "./answer.ts"
import type { Comment } from "./claims.ts"

export type Issue = Item & {
  /** `working`: a fleet works on it, as people see it. */
  readonly standing: "ready" | "working" | "other"
  /** Present names of its author. Another user can take a name that its user gave up. */
  readonly authorIds: readonly string[]
  /** The author's place in the project, in the tracker's terms; for {@link Tracker.isMember}. */
  readonly relation: string
}

/** `dropped`: no fleet works on it, and it is not ready. */
export type Shown = "working" | "ready" | "done" | "dropped"

export type Tracker = {
  /** For people, such as `acme/app on GitHub`. */
  readonly name: string
  /** As people write its ids: `#17`. */
  nameOf(id: string): string
  /** Pages of the issues that may be ready, the newest change first. */
  list(signal: AbortSignal): AsyncIterable<Answer<readonly Issue[]>>
  find(id: string, signal: AbortSignal): Promise<Answer<Issue>>
  /** Pages of an issue's comments, in any order. */
  comments(id: string, signal: AbortSignal): AsyncIterable<Answer<readonly Comment[]>>
  /** Adds a comment. @param marker is part of it, as a text that people may overlook. */
  comment(id: string, text: string, marker: string, signal: AbortSignal): Promise<Answer<Comment>>
  removeComment(id: string, comment: string, signal: AbortSignal): Promise<Answer>
  /** Shows how an issue stands. It is no failure if it stands so already. */
  show(id: string, shown: Shown, signal: AbortSignal): Promise<Answer>
  /** Whether its author may write to the project. */
  isMember(issue: Issue, signal: AbortSignal): Promise<boolean>
}
