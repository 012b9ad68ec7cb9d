/**
 * Cases that are wrong, by file and id, each with the section of the standard that says so. They are run by nobody and
 * counted neither way.
 */
export const excludedCases: Readonly<Partial<Record<string, Readonly<Partial<Record<string, string>>>>>> = {};
