;; Divides texts in Parquet's plain encoding into their lengths and their bytes. `TextPages.ts` says what is where in memory;
;; `pnpm wasm` compiles this file.
(module
  (memory (import "page" "memory") 1)

  ;; Reads texts from one address to another, each four bytes of length and its bytes. Writes the lengths to one place and
  ;; the bytes to another. Returns where the bytes end. Up to fifteen bytes behind each text are copied along, where the
  ;; next one takes their place.
  (func (export "divide") (param $at i32) (param $to i32) (param $lengths i32) (param $out i32) (result i32)
    (local $length i32)
    (local $end i32)
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $length (i32.load (local.get $at)))
        (i32.store (local.get $lengths) (local.get $length))
        (local.set $lengths (i32.add (local.get $lengths) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $end (i32.add (local.get $out) (local.get $length)))
        (local.set $length (i32.add (local.get $at) (local.get $length)))
        (block $copied
          (loop $copy
            (br_if $copied (i32.ge_u (local.get $out) (local.get $end)))
            (v128.store (local.get $out) (v128.load (local.get $at)))
            (local.set $out (i32.add (local.get $out) (i32.const 16)))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $copy)))
        (local.set $out (local.get $end))
        (local.set $at (local.get $length))
        (br $more)))
    (local.get $out)))
