/**
 * Releases undici's controller of an exchange when the exchange ends.
 *
 * undici hands the controller to a closure that V8 allocates in the old generation. Until the next full collection the
 * closure retains what the controller reaches: the request, the reply, and the first 64 KiB from the socket, of which
 * the raw headers are slices. So the closure gets a stand-in here, which drops its reference to the controller at the
 * end. Without it, reading five million records takes 207 MB in place of 191; below a million there is no difference.
 */
import type * as Undici from "@effect/platform-node/Undici"

type Controller = Undici.Dispatcher.DispatchController
type Handler = Undici.Dispatcher.DispatchHandler

/** Gives each exchange a controller that is released at its end. */
export const releaseController: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, releasing(handler))

const releasing = (handler: Handler): Handler => {
  const released = new ReleasedController()
  return {
    onRequestStart: (controller, context) => {
      released.controller = controller
      handler.onRequestStart?.(released, context)
    },
    onRequestUpgrade: (_, ...head) => handler.onRequestUpgrade?.(released, ...head),
    onResponseStart: (_, ...head) => handler.onResponseStart?.(released, ...head),
    onResponseData: (_, chunk) => handler.onResponseData?.(released, chunk),
    onResponseEnd: (_, trailers) => {
      handler.onResponseEnd?.(released, trailers)
      released.controller = undefined
    },
    onResponseError: (_, error) => {
      handler.onResponseError?.(released, error)
      released.controller = undefined
    }
  }
}

/** Forwards to a controller while there is one. */
class ReleasedController implements Controller {
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
