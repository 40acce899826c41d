/** The state of the Linear double: the issues, labels, states and users of one workspace. */
export type LinearUser = {
  readonly id: string
  readonly displayName: string
  readonly email: string
  active: boolean
  guest: boolean
  app: boolean
}

export type LinearComment = {
  readonly id: string
  body: string
  createdAtMs: number
  /** Null: another service wrote it. */
  readonly author: string | null
}

export type LinearIssue = {
  readonly number: number
  team: string
  /** The slug of its project. */
  project: string | null
  title: string
  description: string | null
  readonly creator: string | null
  /** The name of a state. */
  state: string
  labels: string[]
  comments: LinearComment[]
  readonly createdAtMs: number
  updatedAtMs: number
  isArchived: boolean
}

/** The types of the states that each team has. */
export const LINEAR_STATES: Readonly<Record<string, string>> = {
  Todo: "unstarted",
  "In Progress": "started",
  "In Review": "started",
  Done: "completed",
  Canceled: "canceled",
}

/** A workspace with one team. */
export class LinearState {
  readonly team = "ENG"
  readonly issues: LinearIssue[] = []
  readonly users = new Map<string, LinearUser>()
  readonly labels = ["coppice", "coppice: in progress", "bug"]
  readonly nowMs: () => number
  #last = 0

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
    for (const name of ["robot", "rival"]) this.join(name)
  }

  join(name: string, user: Partial<LinearUser> = {}): void {
    const email = `${name}@acme.example`
    const made = { id: `user-${name}`, displayName: name, email, active: true }
    this.users.set(name, { ...made, guest: false, app: false, ...user })
  }

  /** A person opens an issue. */
  open(issue: Partial<LinearIssue> = {}): LinearIssue {
    const number = this.issues.length + 1
    const nowMs = this.nowMs()
    const made: LinearIssue = {
      number,
      team: this.team,
      project: null,
      title: `Issue ${number}`,
      description: "Please.",
      creator: "robot",
      state: "Todo",
      labels: [],
      comments: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      isArchived: false,
      ...issue,
    }
    this.issues.push(made)
    return made
  }

  change(issue: LinearIssue, change: Partial<LinearIssue>): void {
    Object.assign(issue, change, { updatedAtMs: this.nowMs() })
  }

  find(identifier: string): LinearIssue | undefined {
    return this.issues.find((one) => identifierOf(one) === identifier && !one.isArchived)
  }

  comment(issue: LinearIssue, author: string | null, body: string): LinearComment {
    const made = { id: `comment-${++this.#last}`, body, createdAtMs: this.nowMs(), author }
    issue.comments.push(made)
    return made
  }
}

export const identifierOf = ({ team, number }: LinearIssue) => `${team}-${number}`
