/** The error of a task whose settings have gone from the configuration. */
import { AppError } from "../../../base/errors.ts"

/** A task needs an agent or a repository that the configuration no longer names. */
export class ConfigGoneError extends AppError {
  constructor(kind: "agents" | "repos", name: string) {
    super("config.gone", "user", `\`${kind}.${name}\` is no longer in coppice.yml.`, {
      hints: [`Put \`${kind}.${name}\` back into coppice.yml, or cancel the task.`],
    })
  }
}
