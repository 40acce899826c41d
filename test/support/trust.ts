/** Approves the coppice.yml of a test's own home, as the person who wrote it would: by the code of `coppice trust`. */
import { findHome } from "../../src/api/client/home.ts"
import { AppError } from "../../src/base/errors.ts"
import { approveConfig, examineTrust } from "../../src/features/trust/find-unapproved.ts"

/** Where a command would find no home, or one with mistakes, that command says so. */
export async function approveHome(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const at = args.indexOf("--home")
    const place = findHome(cwd, { home: args[at + 1 || args.length], env })
    const found = await examineTrust(place, env)
    const { approved, changed, config } = found.document
    if (!approved && (changed || config.length > 0)) approveConfig(place, env)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
