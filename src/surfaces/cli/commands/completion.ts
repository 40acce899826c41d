/** `completion <shell>`: prints the script that completes `coppice` in a shell. */
import type { Command } from "../command.ts"
import { SCRIPTS, SHELLS } from "../completion-scripts.ts"
import { UsageError } from "../errors.ts"

export const command: Command = {
  operands: "<shell>",
  options: {},
  details:
    "For bash, zsh or fish. It completes commands, options, tasks, agents, repositories and branches.\n" +
    "  bash: `source <(coppice completion bash)` in ~/.bashrc\n" +
    "  zsh:  `source <(coppice completion zsh)` in ~/.zshrc, after `compinit`\n" +
    "  fish: `coppice completion fish | source` in ~/.config/fish/config.fish",

  async run({ output, json }, [given, ...rest]) {
    const shell = SHELLS.find((one) => one === given)
    if (!shell || rest.length > 0)
      throw new UsageError("`completion` takes the name of one shell.", [
        `It knows ${SHELLS.join(", ")}.`,
      ])
    if (json) output.document({ shell, script: SCRIPTS[shell] })
    else output.verbatim(SCRIPTS[shell].trimEnd().split("\n"))
    return 0
  },
}
