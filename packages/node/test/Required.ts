/**
 * Gives what a test needs of the machine, or nothing where the test may say that it did not run. With SLUICE_REQUIRE_ALL=1, which
 * `.ci/run` sets where it could install all of it, a test that cannot run fails.
 */
export const orSkipped = <A>(name: string, found: A | undefined): A | undefined => {
  if (found === undefined && process.env["SLUICE_REQUIRE_ALL"] === "1") {
    throw new Error(`SLUICE_REQUIRE_ALL is set, and ${name} is not here`)
  }
  return found
}
