// framed.js - the page inside a report (warpline report --interactive): the frame says what it begins
// with, and there is no address.

// What would be behind # in the address; undefined: the page is no part of a report.
export const startOfReport = () => window.frameElement?.dataset.start;
