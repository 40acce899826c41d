/**
 * Takes the credentials of running agents out of all that they say, before any of it is stored: their log,
 * questions, reports and last messages. So neither the database nor a page, hook or notification has them.
 *
 * Known are the environment that we gave an agent, and the settings of its MCP servers. An agent that wants to betray its key can: it writes it in another form.
 */

import type { TaskId } from "../../base/ids.ts"
import { HidingStream, hide, hideIn } from "../../base/text/hide.ts"
import { credentialsOf, credentialsOfCommand, credentialsOfServer } from "../../base/text/redact.ts"
import type { McpServer } from "../../config/config.ts"

const NONE: readonly string[] = []

export class AgentSecrets {
  /** Kept until the daemon ends, since late messages may follow the end of an agent. */
  readonly #values = new Map<TaskId, readonly string[]>()

  /** Call it before its agent starts. */
  learn(
    task: TaskId,
    env: Readonly<Record<string, string>>,
    servers: readonly McpServer[] = [],
  ): void {
    const ofServers = servers.flatMap((server) =>
      server.kind === "http"
        ? credentialsOfServer(server.headers, server.url)
        : [...credentialsOfServer(server.env, ""), ...credentialsOfCommand(server.command)],
    )
    const values = [...new Set([...credentialsOf(env), ...ofServers])]
    this.#values.set(
      task,
      values.sort((one, other) => other.length - one.length),
    )
  }

  hide(task: TaskId, text: string): string {
    return hide(text, this.#of(task))
  }

  /** Each text in a document. */
  hideIn<T>(task: TaskId, document: T): T {
    return hideIn(document, this.#of(task))
  }

  /** For the message that its agent is writing. */
  stream(task: TaskId): HidingStream {
    return new HidingStream(this.#of(task))
  }

  #of(task: TaskId): readonly string[] {
    return this.#values.get(task) ?? NONE
  }
}
