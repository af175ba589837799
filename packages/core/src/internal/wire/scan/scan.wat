;; Finds the values of records of one layout. `Scan.ts` says what is where in memory; `pnpm wasm` compiles this file.
;;
;; Behind the bytes of a run there are sixteen zeros. No literal and no value holds a zero, so nothing is read beyond them,
;; although bytes are loaded sixteen at a time.
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

  ;; The offset behind spaces.
  (func $spaces (param $at i32) (result i32)
    (loop $more
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 32)) ;; space
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more))))
    (local.get $at))

  ;; The offset of the quote that ends a text, or of a byte of another kind than most: a backslash, a control character, or a
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

  ;; What the text that was found last holds: 64 an escape, 128 a character outside ASCII.
  (global $odd (mut i32) (i32.const 0))
  ;; How many bytes such a text has more than UTF-16 has units.
  (global $surplus (mut i32) (i32.const 0))

  ;; The offset of the quote that ends a text, or of a control character, from a byte on that is no quote.
  (func $oddText (param $at i32) (result i32)
    (local $bytes v128)
    (local $found i32)
    (local $before i32)
    (global.set $surplus (i32.const 0))
    (loop $more
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $found (i8x16.bitmask
        (v128.or
          (v128.or
            (i8x16.eq (local.get $bytes) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
            (i8x16.eq (local.get $bytes) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92)))
          (i8x16.lt_u (local.get $bytes) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32)))))
      ;; The bytes before what was found.
      (local.set $before
        (i32.sub (i32.and (local.get $found) (i32.sub (i32.const 0) (local.get $found))) (i32.const 1)))
      (if (i32.and (i8x16.bitmask (local.get $bytes)) (local.get $before))
        (then
          (global.set $odd (i32.or (global.get $odd) (i32.const 128)))
          ;; All bytes of a character but the first; a character of four bytes has two units.
          (global.set $surplus
            (i32.sub
              (i32.add
                (global.get $surplus)
                (i32.popcnt (i32.and (local.get $before) (i8x16.bitmask (i8x16.lt_s (local.get $bytes)
                  (v128.const i8x16 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64 -64))))))
              (i32.popcnt (i32.and (local.get $before) (i8x16.bitmask (i8x16.gt_u (local.get $bytes)
                (v128.const i8x16 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17 -17)))))))))
      (if (i32.eqz (local.get $found))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $more)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 92)) ;; backslash
        (then
          (global.set $odd (i32.or (global.get $odd) (i32.const 64)))
          ;; A byte outside ASCII behind it is no escape, which parsing finds.
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (br $more))))
    (local.get $at))

  (func $most (param $at i32) (param $to i32) (result i32)
    (select (local.get $at) (local.get $to) (i32.lt_u (local.get $at) (local.get $to))))

  ;; Goes on in a list or object from an offset with a depth, inside a text or not. Stops behind the bracket that closes it, at
  ;; a comma between its items from an offset on, or at the end. Returns the offset; the two words are the depth, and
  ;; whether it is inside a text.
  (func (export "skip")
    (param $at i32) (param $to i32) (param $depth i32) (param $isText i32) (param $comma i32)
    (result i32)
    (local $bytes v128)
    (local $found i32)
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $bytes (v128.load (local.get $at)))
        (if (local.get $isText)
          (then
            (local.set $found (i8x16.bitmask
              (v128.or
                (i8x16.eq (local.get $bytes) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
                (i8x16.eq (local.get $bytes) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92)))))
            (if (i32.eqz (local.get $found))
              (then
                (local.set $at (call $most (i32.add (local.get $at) (i32.const 16)) (local.get $to)))
                (br $more)))
            (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 92)) ;; backslash
              (then (local.set $at (i32.add (local.get $at) (i32.const 2))))
              (else
                (local.set $isText (i32.const 0))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))))
            (br $more)))
        (local.set $found (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq (local.get $bytes) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
              ;; Commas count from an offset on.
              (i8x16.eq (local.get $bytes) (i8x16.splat (select
                (i32.const 44)
                (i32.const 34)
                (i32.ge_u (i32.add (local.get $at) (i32.const 16)) (local.get $comma))))))
            (v128.or
              ;; Brackets and braces differ in one bit.
              (i8x16.eq
                (v128.or (local.get $bytes) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32))
                (v128.const i8x16 123 123 123 123 123 123 123 123 123 123 123 123 123 123 123 123))
              (i8x16.eq
                (v128.or (local.get $bytes) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32))
                (v128.const i8x16 125 125 125 125 125 125 125 125 125 125 125 125 125 125 125 125))))))
        (if (i32.eqz (local.get $found))
          (then
            (local.set $at (call $most (i32.add (local.get $at) (i32.const 16)) (local.get $to)))
            (br $more)))
        (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
        (local.set $found (i32.load8_u (local.get $at)))
        (if (i32.eq (local.get $found) (i32.const 44)) ;; comma
          (then
            (br_if $stop (i32.and
              (i32.eq (local.get $depth) (i32.const 1))
              (i32.ge_u (local.get $at) (local.get $comma)))))
          (else
            (if (i32.eq (local.get $found) (i32.const 34)) ;; quote
              (then (local.set $isText (i32.const 1)))
              (else
                (if (i32.eq (i32.or (local.get $found) (i32.const 32)) (i32.const 123)) ;; opening brace
                  (then (local.set $depth (i32.add (local.get $depth) (i32.const 1))))
                  (else
                    (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
                    (if (i32.eqz (local.get $depth))
                      (then
                        (local.set $at (i32.add (local.get $at) (i32.const 1)))
                        (br $stop)))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $depth))
    (i32.store offset=4 (i32.const 0) (local.get $isText))
    (local.get $at))

  ;; The offset of the first byte that is no digit.
  (func $digits (param $at i32) (result i32)
    (loop $more
      (if (i32.le_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)) (i32.const 9))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $more))))
    (local.get $at))

  ;; Whether JavaScript writes the last number that was found in another way.
  (global $isUnlike (mut i32) (i32.const 0))

  ;; The offset behind a number; 0 when it is not JSON, or has more than fifteen digits, which a double may not hold. A double
  ;; holds every number of fewer, and no shorter one stands for the same double. An exponent ends the number, and what
  ;; follows fits no literal.
  (func $number (param $at i32) (result i32)
    (local $first i32)
    (local $fraction i32)
    (local $isZero i32)   ;; before the point
    (local.set $first (i32.add (local.get $at) (i32.eq (i32.load8_u (local.get $at)) (i32.const 45)))) ;; minus
    (local.set $isZero (i32.eq (i32.load8_u (local.get $first)) (i32.const 48)))
    ;; JavaScript writes -0 as 0.
    (global.set $isUnlike (i32.and (local.get $isZero) (i32.ne (local.get $first) (local.get $at))))
    (local.set $at (call $digits (local.get $first)))
    (if (i32.eq (local.get $at) (local.get $first)) (then (return (i32.const 0))))
    (if (local.get $isZero)
      (then
        (if (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 1)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 46)) ;; point
      (then
        (local.set $fraction (i32.add (local.get $at) (i32.const 1)))
        (local.set $at (call $digits (local.get $fraction)))
        (if (i32.eq (local.get $at) (local.get $fraction)) (then (return (i32.const 0))))
        ;; JavaScript writes no zero at the end, and an exponent in place of more than five zeros behind the point.
        (global.set $isUnlike
          (i32.or
            (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 48))
            (i32.and
              (local.get $isZero)
              (i64.eq
                (i64.shl (i64.load (local.get $fraction)) (i64.const 16))
                (i64.const 0x3030303030300000)))))
        ;; The point is no digit.
        (local.set $first (i32.add (local.get $first) (i32.const 1)))))
    (select
      (i32.const 0)
      (local.get $at)
      (i32.gt_u (i32.sub (local.get $at) (local.get $first)) (i32.const 15))))

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

  ;; Finds records, one behind the other, each separated by one byte and spaces. Returns how many.
  ;;
  ;; The layout is a list of steps of four words: the offset and the length of the literal that comes first, an argument, and
  ;; what follows the literal. 0: a value of the kinds in the argument. 1: the end of the record. 2: a list, which the step
  ;; behind it begins; an empty one goes on at the step in the argument. 3: the end of an item; the next one begins at the
  ;; step in the argument.
  (func (export "read")
    (param $at i32) (param $to i32) (param $between i32) (param $layout i32) (param $out i32) (param $outEnd i32)
    (result i32)
    (local $count i32)     ;; of whole records
    (local $why i32)       ;; it stops behind a record
    (local $start i32)     ;; of the current record
    (local $step i32)
    (local $follows i32)   ;; what follows its literal
    (local $write i32)     ;; where the next result goes
    (local $frame i32)     ;; behind the innermost open list
    (local $from i32)
    (local $kind i32)
    (local $length i32)
    (local $lead i32)      ;; the first value of the record before
    (local $leadLength i32)
    (local.set $start (local.get $at))
    (local.set $leadLength (i32.const -1))
    (block $stop
      (loop $record
        (local.set $at (call $spaces (local.get $start)))
        (local.set $step (local.get $layout))
        (local.set $write (local.get $out))
        ;; Behind all results.
        (local.set $frame (i32.const 655296))
        (block $end
          (loop $next
            (local.set $length (i32.load offset=4 (local.get $step)))
            (br_if $stop (i32.eqz (call $same (local.get $at) (i32.load (local.get $step)) (local.get $length))))
            (local.set $at (i32.add (local.get $at) (local.get $length)))
            (local.set $follows (i32.load offset=12 (local.get $step)))
            (if (i32.eqz (local.get $follows))
              (then
                (br_if $stop (i32.ge_u (local.get $write) (local.get $outEnd)))
                (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 34)) ;; quote
                  (then
                    ;; Text with escapes or characters outside ASCII is checked when it is decoded.
                    (local.set $kind (i32.const 1))
                    (local.set $from (i32.add (local.get $at) (i32.const 1)))
                    (local.set $at (call $text (local.get $from)))
                    (global.set $odd (i32.const 0))
                    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 34))
                      (then
                        (local.set $at (call $oddText (local.get $at)))
                        (br_if $stop (i32.ne (i32.load8_u (local.get $at)) (i32.const 34))))))
                  (else
                    (local.set $kind (call $kind (local.get $at)))
                    (local.set $from (local.get $at))
                    (if (i32.eq (local.get $step) (local.get $layout)) (then (local.set $leadLength (i32.const -1))))
                    (if (i32.eq (local.get $kind) (i32.const 4)) ;; number
                      (then
                        (local.set $at (call $number (local.get $at)))
                        (br_if $stop (i32.eqz (local.get $at))))
                      (else
                        (local.set $at (i32.add (i32.add (local.get $at) (i32.const 4))
                          (i32.eq (local.get $kind) (i32.const 16))))))))
                (br_if $stop (i32.eqz (i32.and (local.get $kind) (i32.load offset=8 (local.get $step)))))
                (i32.store (local.get $write) (local.get $from))
                (i32.store offset=4 (local.get $write)
                  (i32.or (i32.shl (local.get $at) (i32.const 8)) (local.get $kind)))
                (if (i32.eq (local.get $kind) (i32.const 1))
                  (then
                    (if (global.get $odd)
                      (then
                        ;; There is room for fourteen bits.
                        (br_if $stop (i32.gt_u (global.get $surplus) (i32.const 16383)))
                        (i32.store (local.get $write)
                          (i32.or (local.get $from) (i32.shl (global.get $surplus) (i32.const 18))))
                        (i32.store offset=4 (local.get $write)
                          (i32.or (i32.load offset=4 (local.get $write)) (global.get $odd)))))
                    (if (i32.eq (local.get $step) (local.get $layout))
                      (then
                        (local.set $length (i32.sub (local.get $at) (local.get $from)))
                        (if (i32.eq (local.get $length) (local.get $leadLength))
                          (then
                            (if (call $same (local.get $from) (local.get $lead) (local.get $length))
                              (then
                                (i32.store offset=4 (local.get $write)
                                  (i32.or (i32.load offset=4 (local.get $write)) (i32.const 32)))))))
                        (local.set $lead (local.get $from))
                        (local.set $leadLength (local.get $length))))
                    ;; Behind the quote.
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))))
                (local.set $write (i32.add (local.get $write) (i32.const 8)))
                (local.set $step (i32.add (local.get $step) (i32.const 16)))
                (br $next)))
            (br_if $end (i32.eq (local.get $follows) (i32.const 1)))
            (local.set $at (call $spaces (local.get $at)))
            (if (i32.eq (local.get $follows) (i32.const 2))
              (then
                (br_if $stop (i32.ge_u (local.get $write) (local.get $outEnd)))
                ;; The number of items.
                (i64.store (local.get $write) (i64.const 0))
                (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 93)) ;; closing bracket
                  (then
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (local.set $step (i32.load offset=8 (local.get $step))))
                  (else
                    (i32.store (local.get $frame) (local.get $write))
                    (local.set $frame (i32.add (local.get $frame) (i32.const 4)))
                    (local.set $step (i32.add (local.get $step) (i32.const 16)))))
                (local.set $write (i32.add (local.get $write) (i32.const 8)))
                (br $next)))
            (local.set $from (i32.load (i32.sub (local.get $frame) (i32.const 4))))
            (i32.store (local.get $from) (i32.add (i32.load (local.get $from)) (i32.const 1)))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 44)) ;; comma
              (then
                (local.set $at (call $spaces (i32.add (local.get $at) (i32.const 1))))
                (local.set $step (i32.load offset=8 (local.get $step)))
                (br $next)))
            (br_if $stop (i32.ne (i32.load8_u (local.get $at)) (i32.const 93))) ;; closing bracket
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $frame (i32.sub (local.get $frame) (i32.const 4)))
            (local.set $step (i32.add (local.get $step) (i32.const 16)))
            (br $next)))
        (br_if $stop (i32.gt_u (local.get $at) (local.get $to)))
        (local.set $at (call $spaces (local.get $at)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $start (local.get $at))
        (local.set $out (local.get $write))
        (br_if $stop (local.tee $why (select
          (i32.const 1)
          (i32.shl (i32.ne (i32.load8_u (local.get $at)) (local.get $between)) (i32.const 1))
          (i32.eq (local.get $at) (local.get $to)))))
        (local.set $start (i32.add (local.get $at) (i32.const 1)))
        (br $record)))
    (i32.store (i32.const 0) (local.get $start))
    (i32.store offset=4 (i32.const 0) (local.get $why))
    (local.get $count))

  ;; The same for a batch: flat records that are written as `JSON.stringify` writes them. Stops at any other. Writes for each
  ;; record its beginning, the beginning and the end of each value, a text with its quotes, and its end.
  ;;
  ;; A loop of its own: in the one above, batches take up to a quarter longer.
  (func (export "readBatch")
    (param $at i32) (param $to i32) (param $between i32) (param $layout i32) (param $out i32)
    (result i32)
    (local $count i32)   ;; of whole records
    (local $why i32)     ;; it stops behind a record
    (local $start i32)   ;; of the current record
    (local $step i32)
    (local $write i32)   ;; where its offsets go
    (local $kind i32)
    (local $length i32)
    (local.set $start (local.get $at))
    (block $stop
      (loop $record
        (local.set $at (local.get $start))
        (local.set $step (local.get $layout))
        (i32.store (local.get $out) (local.get $start))
        (local.set $write (i32.add (local.get $out) (i32.const 4)))
        (loop $next
          (local.set $length (i32.load offset=4 (local.get $step)))
          (br_if $stop (i32.eqz (call $same (local.get $at) (i32.load (local.get $step)) (local.get $length))))
          (local.set $at (i32.add (local.get $at) (local.get $length)))
          (if (i32.eqz (i32.load offset=12 (local.get $step)))
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
                      (br_if $stop (i32.or (i32.eqz (local.get $at)) (global.get $isUnlike))))
                    (else
                      (local.set $at (i32.add (i32.add (local.get $at) (i32.const 4))
                        (i32.eq (local.get $kind) (i32.const 16))))))))
              (br_if $stop (i32.eqz (i32.and (local.get $kind) (i32.load offset=8 (local.get $step)))))
              (i32.store offset=4 (local.get $write) (local.get $at))
              (local.set $write (i32.add (local.get $write) (i32.const 8)))
              (local.set $step (i32.add (local.get $step) (i32.const 16)))
              (br $next))))
        (br_if $stop (i32.gt_u (local.get $at) (local.get $to)))
        (i32.store (local.get $write) (local.get $at))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $out (i32.add (local.get $write) (i32.const 4)))
        (local.set $start (local.get $at))
        (br_if $stop (local.tee $why (select
          (i32.const 1)
          (i32.shl (i32.ne (i32.load8_u (local.get $at)) (local.get $between)) (i32.const 1))
          (i32.eq (local.get $at) (local.get $to)))))
        (local.set $start (i32.add (local.get $at) (i32.const 1)))
        (br $record)))
    (i32.store (i32.const 0) (local.get $start))
    (i32.store offset=4 (i32.const 0) (local.get $why))
    (local.get $count)))
