/** How requests and handshakes name this library. Edge networks reject requests without a user agent. */

/** The version is that of package.json. */
export const userAgent = "sluice/0.1.0"
