/**
 * undici's controller of an exchange, held loosely.
 *
 * undici hands it to a closure that V8 puts straight into the old generation. From there it keeps what the controller
 * reaches until the next full collection: the request, the reply, and the first 64 KiB from the socket, of which the raw
 * headers are slices. That is a page's worth of garbage for every few pages, and the heap grows over it. So the closure
 * gets a stand-in, which lets go of the controller once the exchange is over.
 */
import type * as Undici from "@effect/platform-node/Undici"

type Controller = Undici.Dispatcher.DispatchController
type Handler = Undici.Dispatcher.DispatchHandler

/** Gives each exchange a controller that is let go of at its end. */
export const letGo: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, lettingGo(handler))

const lettingGo = (handler: Handler): Handler => {
  const held = new Held()
  return {
    onRequestStart: (controller, context) => {
      held.controller = controller
      handler.onRequestStart?.(held, context)
    },
    onRequestUpgrade: (_, ...head) => handler.onRequestUpgrade?.(held, ...head),
    onResponseStart: (_, ...head) => handler.onResponseStart?.(held, ...head),
    onResponseData: (_, chunk) => handler.onResponseData?.(held, chunk),
    onResponseEnd: (_, trailers) => {
      handler.onResponseEnd?.(held, trailers)
      held.controller = undefined
    },
    onResponseError: (_, error) => {
      handler.onResponseError?.(held, error)
      held.controller = undefined
    }
  }
}

class Held implements Controller {
  controller: Controller | undefined

  get aborted() {
    return this.controller?.aborted ?? false
  }
  get paused() {
    return this.controller?.paused ?? false
  }
  get reason() {
    return this.controller?.reason ?? null
  }
  get rawHeaders() {
    return this.controller?.rawHeaders ?? null
  }
  get rawTrailers() {
    return this.controller?.rawTrailers ?? null
  }
  abort(reason: Error) {
    this.controller?.abort(reason)
  }
  pause() {
    this.controller?.pause()
  }
  resume() {
    this.controller?.resume()
  }
}
