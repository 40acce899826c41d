/** Gives a running agent the words that a person said with `--now`. */
import { messageNowPrompt } from "../core/prompts/words.ts"
import type { SessionStart } from "../runtimes/runtime.ts"
import { onNews } from "../store/news.ts"
import { findOpenTurn, type Turn } from "../store/turns/find.ts"
import { listWaitingWords, listWordsOfTurn, recordDeliveredNow } from "../store/words-now.ts"
import type { Rows } from "./context.ts"
import type { Running } from "./end-turn.ts"

type Phase = SessionStart["turn"]["phase"]

/**
 * Delivers the waiting words with `turn`, which is about to begin, or begins again.
 *
 * @returns all words of the turn, for its prompt; possibly empty.
 */
export function deliverWords({ db, world }: Rows, turn: Turn, phase: Phase): string {
  recordDeliveredNow(db, turn, listWaitingWords(db, turn.task), world.nowMs())
  const texts = listWordsOfTurn(db, turn)
  return texts.length > 0 ? messageNowPrompt(texts, phase) : ""
}

/** @param session the conversation that runs. The words go to no other one. */
export function wordsNow(
  { db, world }: Rows,
  { task: { id } }: Running,
  session: Turn["session"],
): SessionStart["words"] {
  return {
    find: (phase) => {
      const turn = findOpenTurn(db, id)
      const words = listWaitingWords(db, id)
      if (turn?.session !== session || turn.begunAtMs === null || words.length === 0)
        return undefined
      const texts = words.map(({ text }) => text)
      return {
        text: messageNowPrompt(texts, phase),
        delivered: () => recordDeliveredNow(db, turn, words, world.nowMs()),
      }
    },
    follow: (listener) => {
      // A listener must not write, so it is called right after the commit.
      let scheduled: NodeJS.Immediate | undefined
      const unsubscribe = onNews(db, () => {
        scheduled ??= setImmediate(() => {
          scheduled = undefined
          listener()
        })
      })
      return () => {
        unsubscribe()
        clearImmediate(scheduled)
      }
    },
  }
}
