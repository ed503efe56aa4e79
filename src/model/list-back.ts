/** How the remark on an action begins whose list of approvals was given back, because one of them stood in its way (DR-11). */
const GIVEN_BACK = 'Nothing of the list it was approved with was applied, because of ';

export function givenBack(because: string): string {
  return GIVEN_BACK + because;
}

/** What stood in the way of its list, and why; `null` for any other remark. */
export function givenBackBecause(remark: string | null): string | null {
  return remark?.startsWith(GIVEN_BACK) === true ? remark.slice(GIVEN_BACK.length) : null;
}
