/** The reasons why a decision through a program does not count. */
import { AppError } from "../../base/errors.ts"

/** No person said yes in the dialog. */
export class ConfirmationError extends AppError {
  constructor(message: string, command: string) {
    super("mcp.unconfirmed", "user", message, {
      hints: [`Only the person decides this, also in a terminal: \`${command}\`.`],
    })
  }
}

/** The commit that a program's person saw is not the one in review. */
export class NotAwaitingApprovalError extends AppError {
  constructor(task: string, head: string) {
    const message = `Commit ${head.slice(0, 12)} of task ${task} does not wait for an approval.`
    super("mcp.not_in_review", "user", message, {
      hints: ["show_task says what is in review now. Show it to the person again."],
    })
  }
}

/** A question was answered, or never asked. */
export class NoSuchQuestionError extends AppError {
  constructor(task: string, question: number) {
    super("mcp.no_such_question", "user", `Task ${task} has no open question ${question}.`, {
      hints: ["show_task lists the open questions."],
    })
  }
}
