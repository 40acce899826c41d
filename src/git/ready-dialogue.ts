/**
 * Gits to talk to, started before anybody needs them: that takes ten times as long as what is then
 * said. Until it is told something such a git holds no lock and changes nothing; when we die it sees
 * the end of its input.
 */
import { type Dialogue, openDialogue } from "./dialogue.ts"
import { repositoryId } from "./objects/repository-id.ts"

/** More than these wait for nobody; each holds a shell. */
const READY_MAX = 4
/** Whoever expects it is soon there; or a gate runs, and the next start costs little beside it. */
const IDLE_MS_MAX = 10_000

type Ready = { readonly dialogue: Promise<Dialogue>; readonly idle: NodeJS.Timeout }

const ready = new Map<string, Ready>()

/** Starts one, unless it waits already. */
export function makeReady(cwd: string, args: readonly string[]): void {
  const key = keyOf(cwd, args)
  if (key === undefined || ready.has(key) || ready.size >= READY_MAX) return
  wait(key, openDialogue(cwd, args))
}

/** One that was made ready in this repository, with these arguments, and is nobody else's now. */
export async function takeReady(
  cwd: string,
  args: readonly string[],
): Promise<Dialogue | undefined> {
  const key = keyOf(cwd, args)
  const found = key === undefined ? undefined : ready.get(key)
  if (key === undefined || !found) return undefined
  ready.delete(key)
  clearTimeout(found.idle)
  const dialogue = await found.dialogue.catch(() => undefined)
  dialogue?.hold(true)
  return dialogue
}

/** For the next one to take. */
export function giveBack(cwd: string, args: readonly string[], dialogue: Dialogue): void {
  const key = keyOf(cwd, args)
  if (key === undefined || ready.has(key)) void dialogue.end()
  else wait(key, Promise.resolve(dialogue))
}

function wait(key: string, dialogue: Promise<Dialogue>): void {
  const forget = () => {
    clearTimeout(idle)
    if (ready.get(key)?.dialogue === dialogue) ready.delete(key)
  }
  const end = () => {
    forget()
    dialogue.then((waiting) => waiting.end(), forget)
  }
  const idle = setTimeout(end, IDLE_MS_MAX).unref()
  ready.set(key, { dialogue, idle })
  // One that could not be started makes room: whoever needs it starts another, and is told why not.
  dialogue.then(({ hold }) => hold(ready.get(key)?.dialogue !== dialogue), forget)
}

const keyOf = (cwd: string, args: readonly string[]): string | undefined => {
  const repository = repositoryId(cwd)
  return repository && [cwd, repository.id, ...args].join("\0")
}
