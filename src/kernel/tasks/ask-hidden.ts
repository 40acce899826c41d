/** Asks a person without showing credentials. An agent whose own choice is taken gets it as it wrote it. */
import type { AgentSecrets } from "./agent-secrets.ts"
import { askPerson, type Reply } from "./ask-person.ts"
import type { Rows } from "./context.ts"

export async function askHidden(
  context: Rows & { readonly secrets: Pick<AgentSecrets, "hideIn"> },
  asked: Parameters<typeof askPerson>[1],
  waiting: Parameters<typeof askPerson>[2],
): Promise<Reply> {
  const hidden = context.secrets.hideIn(asked.task, asked)
  const end = await askPerson(context, hidden, waiting)
  if (end.kind !== "answered") return end
  const meant = asked.choices.filter((_, n) => hidden.choices[n] === end.answer)
  // Choices that look the same to a person are not told apart.
  return { ...end, answer: (meant.length === 1 && meant[0]) || end.answer }
}
