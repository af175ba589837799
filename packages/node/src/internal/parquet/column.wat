;; Writes values of one column of a batch in Parquet's plain encoding. `ColumnBatch.ts` says what is where in memory;
;; `pnpm wasm` compiles this file.
;;
;; Texts are copied sixteen bytes at a time, so up to fifteen bytes behind each are read, and written behind its copy, where
;; the next value takes their place.
;;
;; Both functions read the records from one address to another, of whose offsets those at `place` are of the column. They
;; stop at a value that they do not write, and once the results reach `limit`. They return where the results end. The first
;; word says how many records were read, the second one how many values of them were null.
(module
  (memory (import "batch" "memory") 1)

  ;; Whether a part of a time had another form.
  (global $bad (mut i32) (i32.const 0))
  ;; The beginning of the last day, whose text is at 16, in nanoseconds.
  (global $midnight (mut i64) (i64.const 0))

  (func $fail (param $is i32)
    (global.set $bad (i32.or (global.get $bad) (local.get $is))))

  ;; A number of two digits.
  (func $two (param $at i32) (result i32)
    (local $tens i32)
    (local $ones i32)
    (local.set $tens (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
    (local.set $ones (i32.sub (i32.load8_u offset=1 (local.get $at)) (i32.const 48)))
    (call $fail (i32.or
      (i32.gt_u (local.get $tens) (i32.const 9))
      (i32.gt_u (local.get $ones) (i32.const 9))))
    (i32.add (i32.mul (local.get $tens) (i32.const 10)) (local.get $ones)))

  ;; The days of a month.
  (func $length (param $year i32) (param $month i32) (result i32)
    (if (i32.ne (local.get $month) (i32.const 2))
      (then
        (return (i32.add (i32.const 30) (i32.and (i32.const 1)
          (i32.add (local.get $month) (i32.shr_u (local.get $month) (i32.const 3))))))))
    (i32.sub
      (i32.const 29)
      (i32.or
        (i32.ne (i32.rem_u (local.get $year) (i32.const 4)) (i32.const 0))
        (i32.and
          (i32.eqz (i32.rem_u (local.get $year) (i32.const 100)))
          (i32.ne (i32.rem_u (local.get $year) (i32.const 400)) (i32.const 0))))))

  ;; Nanoseconds from 1970 to the beginning of a day, such as 2024-01-31, of the years that fit 64 bits as a whole.
  (func $day (param $at i32) (result i64)
    (local $year i32)
    (local $month i32)
    (local $day i32)
    (local.set $year (i32.add
      (i32.mul (call $two (local.get $at)) (i32.const 100))
      (call $two (i32.add (local.get $at) (i32.const 2)))))
    (local.set $month (call $two (i32.add (local.get $at) (i32.const 5))))
    (local.set $day (call $two (i32.add (local.get $at) (i32.const 8))))
    (call $fail (i32.ne (i32.load8_u offset=4 (local.get $at)) (i32.const 45))) ;; minus
    (call $fail (i32.ne (i32.load8_u offset=7 (local.get $at)) (i32.const 45)))
    (call $fail (i32.gt_u (i32.sub (local.get $year) (i32.const 1678)) (i32.const 583)))
    (call $fail (i32.gt_u (i32.sub (local.get $month) (i32.const 1)) (i32.const 11)))
    (call $fail (i32.ge_u (i32.sub (local.get $day) (i32.const 1)) (call $length (local.get $year) (local.get $month))))
    ;; Years that begin in March end with the day that not all of them have.
    (if (i32.lt_u (local.get $month) (i32.const 3))
      (then
        (local.set $year (i32.sub (local.get $year) (i32.const 1)))
        (local.set $month (i32.add (local.get $month) (i32.const 12)))))
    (local.set $day (i32.add (local.get $day)
      (i32.div_u
        (i32.add (i32.mul (i32.const 153) (i32.sub (local.get $month) (i32.const 3))) (i32.const 2))
        (i32.const 5))))
    (local.set $day (i32.add (local.get $day) (i32.mul (local.get $year) (i32.const 365))))
    (local.set $day (i32.add (local.get $day) (i32.div_u (local.get $year) (i32.const 4))))
    (local.set $day (i32.sub (local.get $day) (i32.div_u (local.get $year) (i32.const 100))))
    (local.set $day (i32.add (local.get $day) (i32.div_u (local.get $year) (i32.const 400))))
    (i64.mul
      (i64.extend_i32_s (i32.sub (local.get $day) (i32.const 719469)))
      (i64.const 86400000000000)))

  ;; Nanoseconds from 1970 to a time of 30 bytes, such as 2024-01-31T23:59:59.999999999Z.
  (func $time (param $at i32) (result i64)
    (local $hours i32)
    (local $minutes i32)
    (local $seconds i32)
    (local $nanos i32)
    (local $last i32)
    (global.set $bad (i32.const 0))
    (if (i32.ne
          (i32.and (i32.const 0x3ff)
            (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (v128.load (i32.const 16)))))
          (i32.const 0x3ff))
      (then
        (global.set $midnight (call $day (local.get $at)))
        (if (global.get $bad) (then (return (i64.const 0))))
        (v128.store (i32.const 16) (v128.load (local.get $at)))))
    (local.set $hours (call $two (i32.add (local.get $at) (i32.const 11))))
    (local.set $minutes (call $two (i32.add (local.get $at) (i32.const 14))))
    (local.set $seconds (call $two (i32.add (local.get $at) (i32.const 17))))
    (local.set $nanos (call $two (i32.add (local.get $at) (i32.const 20))))
    (local.set $nanos (i32.add
      (i32.mul (local.get $nanos) (i32.const 100))
      (call $two (i32.add (local.get $at) (i32.const 22)))))
    (local.set $nanos (i32.add
      (i32.mul (local.get $nanos) (i32.const 100))
      (call $two (i32.add (local.get $at) (i32.const 24)))))
    (local.set $nanos (i32.add
      (i32.mul (local.get $nanos) (i32.const 100))
      (call $two (i32.add (local.get $at) (i32.const 26)))))
    (local.set $last (i32.sub (i32.load8_u offset=28 (local.get $at)) (i32.const 48)))
    (local.set $nanos (i32.add (i32.mul (local.get $nanos) (i32.const 10)) (local.get $last)))
    (call $fail (i32.gt_u (local.get $last) (i32.const 9)))
    (call $fail (i32.gt_u (local.get $hours) (i32.const 23)))
    (call $fail (i32.gt_u (local.get $minutes) (i32.const 59)))
    (call $fail (i32.gt_u (local.get $seconds) (i32.const 59)))
    (call $fail (i32.ne (i32.load8_u offset=10 (local.get $at)) (i32.const 84))) ;; T
    (call $fail (i32.ne (i32.load8_u offset=13 (local.get $at)) (i32.const 58))) ;; colon
    (call $fail (i32.ne (i32.load8_u offset=16 (local.get $at)) (i32.const 58)))
    (call $fail (i32.ne (i32.load8_u offset=19 (local.get $at)) (i32.const 46))) ;; point
    (call $fail (i32.ne (i32.load8_u offset=29 (local.get $at)) (i32.const 90))) ;; Z
    (i64.add
      (global.get $midnight)
      (i64.add
        (i64.mul
          (i64.extend_i32_u (i32.add
            (i32.mul
              (i32.add (i32.mul (local.get $hours) (i32.const 60)) (local.get $minutes))
              (i32.const 60))
            (local.get $seconds)))
          (i64.const 1000000000))
        (i64.extend_i32_u (local.get $nanos)))))

  ;; Writes texts: four bytes of length and the bytes. A value that is no text is written as it stands, and so is a text
  ;; where `isJson`, with its quotes.
  (func (export "texts")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $place i32) (param $isNullable i32) (param $isJson i32) (param $out i32) (param $limit i32)
    (result i32)
    (local $count i32)
    (local $nulls i32)
    (local $from i32)
    (local $length i32)
    (local $first i32)  ;; the first byte of a value
    (local $end i32)
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        (br_if $stop (i32.ge_u (local.get $out) (local.get $limit)))
        (local.set $from (i32.load (i32.add (local.get $record) (local.get $place))))
        (local.set $length
          (i32.sub (i32.load offset=4 (i32.add (local.get $record) (local.get $place))) (local.get $from)))
        (local.set $from (i32.add (local.get $from) (local.get $shift)))
        (local.set $first (i32.load8_u (local.get $from)))
        (if (i32.eq (local.get $first) (i32.const 110)) ;; null
          (then
            (br_if $stop (i32.eqz (local.get $isNullable)))
            (local.set $nulls (i32.add (local.get $nulls) (i32.const 1))))
          (else
            (if (i32.and (i32.eq (local.get $first) (i32.const 34)) (i32.eqz (local.get $isJson))) ;; quote
              (then
                (local.set $from (i32.add (local.get $from) (i32.const 1)))
                (local.set $length (i32.sub (local.get $length) (i32.const 2)))))
            (i32.store (local.get $out) (local.get $length))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $end (i32.add (local.get $out) (local.get $length)))
            (block $copied
              (loop $copy
                (br_if $copied (i32.ge_u (local.get $out) (local.get $end)))
                (v128.store (local.get $out) (v128.load (local.get $from)))
                (local.set $out (i32.add (local.get $out) (i32.const 16)))
                (local.set $from (i32.add (local.get $from) (i32.const 16)))
                (br $copy)))
            (local.set $out (local.get $end))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (i32.store offset=4 (i32.const 0) (local.get $nulls))
    (local.get $out))

  ;; Writes times of the form that series have, as 64 bits each. Stops at any other form.
  (func (export "times")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $place i32) (param $isNullable i32) (param $out i32) (param $limit i32)
    (result i32)
    (local $count i32)
    (local $nulls i32)
    (local $from i32)
    (local $to i32)
    (local $time i64)
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        (br_if $stop (i32.ge_u (local.get $out) (local.get $limit)))
        (local.set $from (i32.load (i32.add (local.get $record) (local.get $place))))
        (local.set $to (i32.load offset=4 (i32.add (local.get $record) (local.get $place))))
        ;; With its quotes. No number is as long.
        (if (i32.eq (i32.sub (local.get $to) (local.get $from)) (i32.const 32))
          (then
            (local.set $time (call $time (i32.add (i32.add (local.get $from) (local.get $shift)) (i32.const 1))))
            (br_if $stop (global.get $bad))
            (i64.store (local.get $out) (local.get $time))
            (local.set $out (i32.add (local.get $out) (i32.const 8))))
          (else
            (br_if $stop (i32.eqz (local.get $isNullable)))
            (br_if $stop
              (i32.ne (i32.load8_u (i32.add (local.get $from) (local.get $shift))) (i32.const 110))) ;; null
            (local.set $nulls (i32.add (local.get $nulls) (i32.const 1)))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (i32.store offset=4 (i32.const 0) (local.get $nulls))
    (local.get $out)))
