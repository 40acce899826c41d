/** Gives a running agent the messages that a person sent with `--now`. */

import type { SessionStart } from "../runtime/runtime.ts"
import { onNews } from "../store/commit-news.ts"
import type { Rows } from "./context.ts"
import type { Running } from "./end-turn.ts"
import { messageNowPrompt } from "./prompts/messages.ts"
import { listMessagesOfTurn, listWaitingMessages, recordDeliveredNow } from "./rows/messages-now.ts"
import { findOpenTurn, type Turn } from "./rows/turns/find.ts"

type Phase = SessionStart["turn"]["phase"]

/**
 * Delivers the waiting messages with `turn`, which is about to begin, or begins again.
 *
 * @returns the text of all messages of the turn, for its prompt; possibly empty.
 */
export function deliverMessages({ db, world }: Rows, turn: Turn, phase: Phase): string {
  recordDeliveredNow(db, turn, listWaitingMessages(db, turn.task), world.nowMs())
  const texts = listMessagesOfTurn(db, turn)
  return texts.length > 0 ? messageNowPrompt(texts, phase) : ""
}

/** @param session the conversation that runs. The messages go to no other one. */
export function messagesNow(
  { db, world }: Rows,
  { task: { id } }: Running,
  session: Turn["session"],
): SessionStart["messages"] {
  return {
    find: (phase) => {
      const turn = findOpenTurn(db, id)
      const waiting = listWaitingMessages(db, id)
      if (turn?.session !== session || turn.begunAtMs === null || waiting.length === 0)
        return undefined
      const texts = waiting.map(({ text }) => text)
      return {
        text: messageNowPrompt(texts, phase),
        delivered: () => recordDeliveredNow(db, turn, waiting, world.nowMs()),
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
