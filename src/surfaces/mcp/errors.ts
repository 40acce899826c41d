/** The reasons why a decision through a program does not count. */
import { AppError } from "../../base/errors.ts"

/** No person said yes in the dialog. */
export class ConfirmationError extends AppError {
  readonly code = "mcp.unconfirmed"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(message: string, command: string) {
    super(message)
    this.hints = [`Only the person decides this, also in a terminal: \`${command}\`.`]
  }
}

/** The commit that a program's person saw is not the one in review. */
export class NotAwaitingApprovalError extends AppError {
  readonly code = "mcp.not_in_review"
  readonly blame = "user"
  override readonly hints = ["show_task says what is in review now. Show it to the person again."]

  constructor(task: string, head: string) {
    super(`Commit ${head.slice(0, 12)} of task ${task} does not wait for an approval.`)
  }
}

/** A question was answered, or never asked. */
export class NoSuchQuestionError extends AppError {
  readonly code = "mcp.no_such_question"
  readonly blame = "user"
  override readonly hints = ["show_task lists the open questions."]

  constructor(task: string, question: number) {
    super(`Task ${task} has no open question ${question}.`)
  }
}
