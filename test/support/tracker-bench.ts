/**
 * The facts and handles by which the tests of all trackers reach one tracker.
 *
 * To test one more tracker: write its double on {@link ApiServer}, write a {@link TrackerBench} in the
 * tracker's test file, and call `trackerContract` of src/features/sources/trackers/contract.ts with it. A tracker
 * that shows claims by labels or by states needs one bench for each way.
 */
import type { SourceConfig } from "../../src/config/config.ts"
import type { Source } from "../../src/features/sources/source.ts"
import type { ApiServer, Failure, Reply, Served } from "./api-server.ts"

export type TrackerServer = ApiServer<{ nowMs(): number }>

export type SourceOptions = {
  /** Default: the token of the user `robot`. */
  readonly token?: string
  /** The setting `authors`. Default: "members". */
  readonly authors?: SourceConfig["authors"]
  /** How long one request may take. Default: the client's. */
  readonly requestMsMax?: number | undefined
}

export type NewIssue = {
  readonly title: string
  readonly text: string
  /** The author's login. Null: the tracker names no author, as for a user that was deleted. */
  readonly author: string | null
}

export type TestIssue = {
  readonly id: string
  /** The name of its state, if the tracker has states, then the names of its labels in order. */
  shown(): readonly string[]
  /** The texts of its comments, the oldest first. Notes that the tracker writes itself are left out. */
  comments(): readonly string[]
  comment(author: string, text: string): void
  /** A person changes its text. */
  edit(text: string): void
  /** A person makes it ready for Coppice, or takes that back. */
  setReady(isReady: boolean): void
}

/** The author of an issue, and whether the settings of `authors` allow it. */
export type Author = {
  /** Null: as in {@link NewIssue}. */
  readonly login: string | null
  /** The name in a problem that Coppice reports. Default: the login. */
  readonly displayName?: string
  /** Default: false. "members" allows it. */
  readonly isMember?: boolean
  /** Default: false. {@link TrackerBench.authorList} allows it. */
  readonly isListed?: boolean
}

export type TrackerBench<At extends TrackerServer> = {
  /** Names the group of tests: "jira, by labels". */
  readonly name: string
  /** A chat reads every page in each poll, and takes messages of listed users alone: it has tests of its own for that. */
  readonly isChat?: true
  /** Starts a double without issues, by {@link startTracker}. The authors have accounts there. */
  start(): Promise<At>
  /** The source under test, for the issues of the double. */
  sourceOf(server: At, options?: SourceOptions): Source
  /** A person opens an issue that is ready and has the label "bug" too. */
  openIssue(server: At, issue: NewIssue): TestIssue
  /**
   * Opens a pull request with the label "ready". Leave it out if pull requests are never listed as issues.
   * @returns its id.
   */
  openPull?(server: At): string

  /** The values of {@link TestIssue.shown} while an issue is ready, while it is claimed, and when it is done. */
  readonly shown: Readonly<Record<"ready" | "claimed" | "done", readonly string[]>>
  /** Whether the web page of an issue hides comments in HTML. Then Coppice must hide them too. */
  readonly hidesHtmlComments: boolean
  /** The number of requests that a claim and its end send together. Each one is made to fail once. */
  readonly requestCount: number
  /** The number of issues on a full page of the list. */
  readonly pageSize: number
  /** Whether the API answers an unchanged list with status 304. */
  readonly hasEntityTags: boolean

  /** One issue is opened for each of these authors. */
  readonly authors: readonly Author[]
  /** A value of the setting `authors` that allows the authors with `isListed`, and no others. */
  readonly authorList: readonly string[]
  /** Leave out if the list of issues itself says which authors are members. */
  readonly memberCheck?: {
    /** Whether the request asks if an author is a member. */
    isRequest(request: Served): boolean
    /** The message of the error if that request is refused. */
    readonly error: RegExp
  }

  /** The answer to a request that the token may not make. Its message is "Not yours.". */
  readonly refusal: Reply
  /** Whether the request adds a comment to an issue. */
  addsComment(request: Served): boolean
  /** Whether the request changes the labels or the state of an issue. */
  changesIssue(request: Served): boolean
  /** Failures of a list, each with fields of the error that it must cause. */
  readonly failures: readonly (readonly [name: string, failure: Failure, error: object])[]
  /** Answers that say "too many requests", each with the end of the wait: after a time, or at a time. */
  readonly limits: readonly (readonly [
    name: string,
    failure: Failure,
    end: { readonly inMs: number } | { readonly atMs: number },
  ])[]
}

/** The time at which the clock of each double starts. */
export const START_MS = Date.UTC(2026, 0, 1)

/** The labels that the source of a bench is set to use. */
export const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }

/** Starts a double with the users `robot` and `rival`. Each look at its clock moves it on by a second. */
export async function startTracker<At extends TrackerServer>(kind: {
  start(nowMs: () => number): Promise<At>
}): Promise<At> {
  let nowMs = START_MS
  const server = await kind.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  return server
}

const failureOf = (status: number, message: string, headers = {}): Failure => ({
  how: { status, headers, body: { message } },
})

const REFUSAL: Reply = { status: 403, body: { message: "Not yours." } }

/** The facts that hold for the issues of every Git host: GitHub, GitLab and Gitea. */
export const GIT_HOST = {
  shown: {
    ready: ["bug", LABELS.ready],
    claimed: ["bug", LABELS.inProgress],
    done: ["bug"],
  },
  hidesHtmlComments: true,
  hasEntityTags: true,
  authors: [
    { login: "robot", isMember: true },
    { login: "mallory", isListed: true },
  ],
  authorList: ["Mallory"],
  refusal: REFUSAL,
  failures: [
    ["a 5xx", failureOf(503, "Down."), { code: "source.unreachable", transient: true }],
    ["a broken connection", { how: "drop" }, { code: "source.unreachable", transient: true }],
    [
      "a bad token",
      failureOf(401, "Bad credentials"),
      { code: "source.refused", transient: false },
    ],
    ["no such repository", failureOf(404, "Not Found"), { code: "source.refused" }],
    ["no rights", { how: REFUSAL }, { code: "source.refused" }],
  ],
  limits: [
    ["Retry-After", failureOf(429, "Wait.", { "retry-after": "90" }), { inMs: 90_000 }],
    ["429", failureOf(429, "Slow down."), { inMs: 60_000 }],
  ],
} as const satisfies Partial<TrackerBench<TrackerServer>>
