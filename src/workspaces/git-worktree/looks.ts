/** A place for each set-up or removal that looks at a repository: many at once start git the slow way. */
import { Slots } from "../locks/slots.ts"

/** Each may start two or three gits side by side; git/worker-pool.ts has room for eight. */
export const looks = new Slots(3)
