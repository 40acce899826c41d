import { expect, test } from "vitest"
import { cutBetween, Pair } from "../../../../test/support/pair.ts"
import { listUndoing } from "../../landing/rows/find.ts"
import { listTasks } from "../rows/find.ts"
import { cancel } from "./cancel.ts"

test("cancelling a decided landing that waits takes back the targets that had moved [21.4]", async () => {
  await using pair = new Pair({ gates: { web: "test ! -f red" } })
  const { it, web } = pair
  const id = await cutBetween(pair, () => web.commit({ red: "" }, "RED"))
  expect(it.landing(id)).toMatchObject({ state: "waiting", outcome: "TARGET_RED", decided: true })
  expect(pair.landed()).toEqual({ app: true, web: false })
  await cancel(it.context, it.task(id))
  expect(it.task(id)).toMatchObject({ state: "cancelled" })
  expect(it.landing(id)).toMatchObject({
    state: "cancelled",
    decided: false,
    reason: "it was given up, and is taken back in app",
  })
  expect(await it.run(listUndoing(it.db, id)[0]!.id)).toMatchObject({ state: "landed" })
  expect(pair.landed()).toEqual({ app: false, web: false })
  expect(pair.subjects()).toEqual({ app: 'Revert "Do it"', web: "RED" })
})

test("a decided landing that goes on cannot be cancelled: it is rolled forward [21.3]", async () => {
  await using pair = new Pair()
  const { it } = pair
  let refused: Promise<unknown> | undefined
  const id = await cutBetween(pair, () => {
    const [task] = listTasks(it.db)
    refused = cancel(it.context, task!).catch((error: unknown) => error)
  })
  expect(await refused).toMatchObject({
    code: "task.refused",
    hints: [expect.any(String), expect.stringMatching(/takes back/)],
  })
  expect(it.landing(id)).toMatchObject({ state: "landed" })
})
