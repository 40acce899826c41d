/**
 * Look-ups of host names: those of one name share one.
 *
 * Node asks the system in a small pool of threads, half of which may look up names, and cannot take a
 * question back. Without this, a name that no server answers takes all of them when it is asked again.
 */
import dns from "node:dns"

/** Node's default is 4, so two slow names would hold up all others. An idle thread costs next to nothing. */
const THREADS = 32

/** Holds for every client in this process. To be called before the first of them looks up a name. */
export function shareLookups(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(THREADS)
  dns.lookup = sharedByName(dns.lookup as Lookup) as typeof dns.lookup
}

/** A host name, maybe options, and a callback. */
type Lookup = (...args: unknown[]) => void
type Done = (...found: unknown[]) => void

/** The same look-up, asked while one for the same name and options is under way, gets that one's answer. */
export function sharedByName(system: Lookup): Lookup {
  const waiting = new Map<string, Done[]>()
  return (...args) => {
    const [question, done] = [args.slice(0, -1), args.at(-1) as Done]
    const key = JSON.stringify(question)
    const others = waiting.get(key)
    if (others) return void others.push(done)
    const all = [done]
    system(...question, (...found: unknown[]) => {
      waiting.delete(key)
      for (const one of all) one(...found)
    })
    waiting.set(key, all)
  }
}
