/** The results of the checks of an agent's work, as lines. */
import type { CheckDocument } from "../../../api/wire/agent.ts"

export function checkLines({ repos }: CheckDocument): string[] {
  return repos.flatMap(({ name, command, verdict, output }) => {
    if (command === null) return [`${name}: nothing is tested`]
    const said = `${name}: \`${command}\` ${verdict.replace("_", " ")}`
    return verdict === "passed" || output === "" ? [said] : [said, output.trimEnd()]
  })
}
