import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, connect, type Server } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { Certificate } from "./Certificate.ts"

/** Lets a server listen on a free port of this machine until the scope closes. */
export const listen = <S extends Server>(make: () => S) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: S; readonly port: number }>((resume) => {
      const server = make()
      server.listen(0, "127.0.0.1", () =>
        // Type boundary: a server that listens on a port has an address of this form.
        resume(Effect.succeed({ server, port: (server.address() as AddressInfo).port }))
      )
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

/** A proxy that opens tunnels to one port of this machine, whatever host they are for, or refuses with a status. It speaks TLS with a certificate. */
export const proxyTo = (target: number, refusal?: string, certificate?: Certificate) =>
  Effect.gen(function* () {
    const tunnels: Array<{ readonly target: string; readonly headers: IncomingHttpHeaders }> = []
    const requests: Array<string> = []
    const answer: RequestListener = (request, response) => {
      requests.push(request.url ?? "")
      response.end()
    }
    const { port } = yield* listen(() =>
      (certificate === undefined ? createServer(answer) : createTlsServer(certificate, answer)).on(
        "connect",
        (request, socket) => {
          tunnels.push({ target: request.url ?? "", headers: request.headers })
          socket.on("error", () => {})
          if (refusal === "hang up") return socket.destroy()
          if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`)
          const upstream = connect(target, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
            upstream.pipe(socket).pipe(upstream)
          })
          return upstream.on("error", () => socket.destroy())
        }
      )
    )
    return { port, tunnels, requests }
  })

/** A file with a certificate. */
export const caFileOf = ({ cert }: Certificate) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sluice-ca-"))
      fs.writeFileSync(path.join(folder, "ca.pem"), `# Our company\n${cert}`)
      return path.join(folder, "ca.pem")
    }),
    (file) => Effect.sync(() => fs.rmSync(path.dirname(file), { recursive: true }))
  )
