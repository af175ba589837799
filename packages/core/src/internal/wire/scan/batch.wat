;; Finds records of one layout that are written as `JSON.stringify` writes them, and notes where all their values are.
;; `BatchScan.ts` says what is where in memory; `pnpm wasm` compiles this file.
;;
;; Behind the bytes of a run there are a line feed and sixteen zeros. No literal and no value holds these, so nothing is read
;; beyond them, although bytes are loaded sixteen at a time.
(module
  ;; The first word returns the offset where the scan stopped, the second one why.
  (memory (export "memory") 10)

  ;; Whether as many bytes at two offsets are the same.
  (func $same (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $mask i32)
    (block $rest
      (loop $more
        (br_if $rest (i32.le_u (local.get $length) (i32.const 16)))
        (if (i32.ne (i8x16.bitmask (i8x16.eq (v128.load (local.get $a)) (v128.load (local.get $b)))) (i32.const 0xffff))
          (then (return (i32.const 0))))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $length (i32.sub (local.get $length) (i32.const 16)))
        (br $more)))
    (local.set $mask (i32.sub (i32.shl (i32.const 1) (local.get $length)) (i32.const 1)))
    (i32.eq
      (i32.and (i8x16.bitmask (i8x16.eq (v128.load (local.get $a)) (v128.load (local.get $b)))) (local.get $mask))
      (local.get $mask)))

  ;; The offset of the quote that ends a text, or of a byte that a batch cannot hold: a backslash, a control character, or a
  ;; part of a character outside ASCII, which is negative as a signed byte.
  (func $text (param $at i32) (result i32)
    (local $bytes v128)
    (local $found i32)
    (loop $more
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $found (i8x16.bitmask
        (v128.or
          (v128.or
            (i8x16.eq (local.get $bytes) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
            (i8x16.eq (local.get $bytes) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92)))
          (i8x16.lt_s (local.get $bytes) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32)))))
      (if (i32.eqz (local.get $found))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $more))))
    (i32.add (local.get $at) (i32.ctz (local.get $found))))

  ;; The offset of the first byte that is no digit.
  (func $digits (param $at i32) (result i32)
    (loop $more
      (if (i32.le_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)) (i32.const 9))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more))))
    (local.get $at))

  ;; The offset behind zeros.
  (func $zeros (param $at i32) (result i32)
    (loop $more
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 48))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more))))
    (local.get $at))

  ;; The offset behind a number that JavaScript writes as it stands here; 0 for any other. A double holds every number of
  ;; at most fifteen digits, and no shorter one stands for the same double. With more than five zeros behind the point
  ;; JavaScript writes an exponent. An exponent here ends the number, and what follows fits no literal.
  (func $number (param $start i32) (result i32)
    (local $first i32)
    (local $at i32)
    (local $fraction i32)
    (local $zeros i32)
    (local.set $first (i32.add (local.get $start) (i32.eq (i32.load8_u (local.get $start)) (i32.const 45)))) ;; minus
    (local.set $at (call $digits (local.get $first)))
    (if (i32.eq (local.get $at) (local.get $first)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $first)) (i32.const 48)) ;; zero
      (then
        (if (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 1)) (then (return (i32.const 0))))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 46)) ;; point
      (then
        (if (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 15)) (then (return (i32.const 0))))
        ;; JavaScript writes -0 as 0.
        (if (i32.eq (i32.load8_u (local.get $first)) (i32.const 48))
          (then (if (i32.ne (local.get $first) (local.get $start)) (then (return (i32.const 0))))))
        (return (local.get $at))))
    (local.set $fraction (i32.add (local.get $at) (i32.const 1)))
    (local.set $zeros (call $zeros (local.get $fraction)))
    (local.set $at (call $digits (local.get $zeros)))
    ;; Nothing behind the point, or a zero that JavaScript does not write.
    (if (i32.eq (local.get $at) (local.get $zeros)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 48)) (then (return (i32.const 0))))
    ;; The point is no digit.
    (if (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 16)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $first)) (i32.const 48))
      (then
        (if (i32.gt_u (i32.sub (local.get $zeros) (local.get $fraction)) (i32.const 5)) (then (return (i32.const 0))))))
    (local.get $at))

  ;; The kind of a value that is no text.
  (func $kind (param $at i32) (result i32)
    (local $four i32)
    (local.set $four (i32.load (local.get $at)))
    (if (i32.eq (local.get $four) (i32.const 0x6c6c756e)) (then (return (i32.const 2)))) ;; null
    (if (i32.eq (local.get $four) (i32.const 0x65757274)) (then (return (i32.const 8)))) ;; true
    (if (i32.eq (local.get $four) (i32.const 0x736c6166)) ;; fals
      (then
        (if (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 101)) (then (return (i32.const 16))))))
    (i32.const 4))

  ;; Finds records, one behind the other, each separated by one byte. Returns how many. Writes for each record its
  ;; beginning, the beginning and the end of each value, a text with its quotes, and its end.
  ;;
  ;; The layout is the number of values; then, for each value, the offset and the length of the literal before it and the
  ;; kinds that it accepts; then offset and length of the last literal.
  (func (export "read")
    (param $at i32) (param $to i32) (param $between i32) (param $layout i32) (param $out i32)
    (result i32)
    (local $count i32)     ;; of whole records
    (local $start i32)     ;; of the current record
    (local $firstEntry i32)
    (local $lastEntry i32)
    (local $entry i32)     ;; of the current value in the layout
    (local $write i32)     ;; where its offsets go
    (local $kind i32)
    (local $length i32)
    (local.set $firstEntry (i32.add (local.get $layout) (i32.const 4)))
    (local.set $lastEntry (i32.add (local.get $firstEntry) (i32.mul (i32.load (local.get $layout)) (i32.const 12))))
    (local.set $start (local.get $at))
    (i32.store offset=4 (i32.const 0) (i32.const 0))
    (block $stop
      (loop $record
        (local.set $at (local.get $start))
        (local.set $entry (local.get $firstEntry))
        (i32.store (local.get $out) (local.get $start))
        (local.set $write (i32.add (local.get $out) (i32.const 4)))
        (loop $value
          (local.set $length (i32.load offset=4 (local.get $entry)))
          (br_if $stop (i32.eqz (call $same (local.get $at) (i32.load (local.get $entry)) (local.get $length))))
          (local.set $at (i32.add (local.get $at) (local.get $length)))
          (if (i32.lt_u (local.get $entry) (local.get $lastEntry))
            (then
              (i32.store (local.get $write) (local.get $at))
              (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 34)) ;; quote
                (then
                  (local.set $kind (i32.const 1))
                  (local.set $at (call $text (i32.add (local.get $at) (i32.const 1))))
                  (br_if $stop (i32.ne (i32.load8_u (local.get $at)) (i32.const 34)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1))))
                (else
                  (local.set $kind (call $kind (local.get $at)))
                  (if (i32.eq (local.get $kind) (i32.const 4)) ;; number
                    (then
                      (local.set $at (call $number (local.get $at)))
                      (br_if $stop (i32.eqz (local.get $at))))
                    (else
                      (local.set $at (i32.add (i32.add (local.get $at) (i32.const 4))
                        (i32.eq (local.get $kind) (i32.const 16))))))))
              (br_if $stop (i32.eqz (i32.and (local.get $kind) (i32.load offset=8 (local.get $entry)))))
              (i32.store offset=4 (local.get $write) (local.get $at))
              (local.set $write (i32.add (local.get $write) (i32.const 8)))
              (local.set $entry (i32.add (local.get $entry) (i32.const 12)))
              (br $value))))
        (br_if $stop (i32.gt_u (local.get $at) (local.get $to)))
        (i32.store (local.get $write) (local.get $at))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $out (i32.add (local.get $write) (i32.const 4)))
        (local.set $start (local.get $at))
        (if (i32.eq (local.get $at) (local.get $to))
          (then
            (i32.store offset=4 (i32.const 0) (i32.const 1))
            (br $stop)))
        (if (i32.ne (i32.load8_u (local.get $at)) (local.get $between))
          (then
            (i32.store offset=4 (i32.const 0) (i32.const 2))
            (br $stop)))
        (local.set $start (i32.add (local.get $at) (i32.const 1)))
        (br $record)))
    (i32.store (i32.const 0) (local.get $start))
    (local.get $count)))
