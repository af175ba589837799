;; Writes values of one column of a batch as Arrow has them. `ColumnBatch.ts` says what is where in memory; `pnpm wasm` compiles
;; this file.
;;
;; Texts are copied sixteen bytes at a time, so up to fifteen bytes behind each are read, and written behind its copy, where
;; the next value takes their place.
;;
;; Each function reads the records from one address to another, of whose offsets those at `place` are of the column. It stops at a
;; value that it does not write, and returns where the results end. The first word says how many records were read, the second
;; one how many values of them were null.
(module
  (memory (import "batch" "memory") 1)

  ;; Whether a part of a time had another form.
  (global $bad (mut i32) (i32.const 0))
  ;; The beginning of the last day, whose text is at 16, in nanoseconds.
  (global $midnight (mut i64) (i64.const 0))

  ;; Where a text without a point has it.
  (global $none i32 (i32.const -64))

  (func $fail (param $is i32)
    (if (local.get $is) (then (global.set $bad (i32.const 1)))))

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

  ;; Numbers of two digits each. Fails for what is no digit.
  (func $pairs (param $digits v128) (result v128)
    (call $fail (v128.any_true (i8x16.gt_u (local.get $digits) (i8x16.splat (i32.const 9)))))
    (i16x8.add
      (i16x8.mul (v128.and (local.get $digits) (i16x8.splat (i32.const 255))) (i16x8.splat (i32.const 10)))
      (i16x8.shr_u (local.get $digits) (i32.const 8))))

  ;; The last sixteen digits of a decimal that ends before `end`, of which it has `count`, without a point that is at byte `point`
  ;; of these sixteen; before them where that is negative.
  (func $digits (param $end i32) (param $point i32) (param $count i32) (result i64)
    (local $bytes v128)
    (local $places v128)
    (local.set $places (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))
    ;; What is not behind the point moves one place towards it.
    (local.set $bytes (v128.bitselect
      (v128.load (i32.sub (local.get $end) (i32.const 16)))
      (v128.load (i32.sub (local.get $end) (i32.const 17)))
      (i8x16.gt_s (local.get $places) (i8x16.splat (local.get $point)))))
    (local.set $bytes (v128.and
      (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 48)))
      (i8x16.gt_s (local.get $places) (i8x16.splat (i32.sub (i32.const 15) (local.get $count))))))
    ;; Numbers of two digits, of four, of eight.
    (local.set $bytes (i32x4.dot_i16x8_s (call $pairs (local.get $bytes)) (v128.const i16x8 100 1 100 1 100 1 100 1)))
    (local.set $bytes (i32x4.dot_i16x8_s
      (i16x8.narrow_i32x4_s (local.get $bytes) (local.get $bytes))
      (v128.const i16x8 10000 1 10000 1 10000 1 10000 1)))
    (i64.add
      (i64.mul (i64.extend_i32_u (i32x4.extract_lane 0 (local.get $bytes))) (i64.const 100000000))
      (i64.extend_i32_u (i32x4.extract_lane 1 (local.get $bytes)))))

  ;; Nanoseconds from 1970 to a time of 30 bytes, such as 2024-01-31T23:59:59.999999999Z.
  (func $time (param $at i32) (result i64)
    (local $clock v128)  ;; hours, minutes and seconds
    (local $nanos i64)
    (local $midnight i64)
    (global.set $bad (i32.const 0))
    (if (i32.ne
          (i32.and (i32.const 0x3ff)
            (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (v128.load (i32.const 16)))))
          (i32.const 0x3ff))
      (then
        (local.set $midnight (call $day (local.get $at)))
        (if (global.get $bad) (then (return (i64.const 0))))
        ;; Both or neither: a day that was refused must not take the place of the last one.
        (global.set $midnight (local.get $midnight))
        (v128.store (i32.const 16) (v128.load (local.get $at)))))
    (local.set $clock (v128.load offset=10 (local.get $at)))
    (call $fail (i32.eqz (i8x16.all_true (i8x16.eq
      (v128.and (local.get $clock) (v128.const i8x16 -1 0 0 -1 0 0 -1 0 0 -1 0 0 0 0 0 0))
      (v128.const i8x16 84 0 0 58 0 0 58 0 0 46 0 0 0 0 0 0))))) ;; T::.
    (local.set $clock (i8x16.sub
      (i8x16.swizzle (local.get $clock) (v128.const i8x16 1 2 4 5 7 8 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1))
      (v128.const i8x16 48 48 48 48 48 48 0 0 0 0 0 0 0 0 0 0)))
    (local.set $clock (call $pairs (local.get $clock)))
    (call $fail (v128.any_true (i16x8.gt_u (local.get $clock) (v128.const i16x8 23 59 59 0 0 0 0 0))))
    (local.set $clock (i32x4.dot_i16x8_s (local.get $clock) (v128.const i16x8 3600 60 1 0 0 0 0 0)))
    (local.set $nanos (call $digits (i32.add (local.get $at) (i32.const 29)) (global.get $none) (i32.const 9)))
    (call $fail (i32.ne (i32.load8_u offset=29 (local.get $at)) (i32.const 90))) ;; Z
    (i64.add
      (global.get $midnight)
      (i64.add
        (i64.mul
          (i64.extend_i32_u (i32.add
            (i32x4.extract_lane 0 (local.get $clock))
            (i32x4.extract_lane 1 (local.get $clock))))
          (i64.const 1000000000))
        (local.get $nanos))))

  ;; The product of two unsigned numbers: its upper 64 bits, and its lower ones in `$low`.
  (global $low (mut i64) (i64.const 0))
  (func $product (param $a i64) (param $b i64) (result i64)
    (local $t i64)
    (local $u i64)
    (local $v i64)
    (local.set $t (i64.mul
      (i64.and (local.get $a) (i64.const 0xffffffff))
      (i64.and (local.get $b) (i64.const 0xffffffff))))
    (local.set $u (i64.add
      (i64.mul (i64.shr_u (local.get $a) (i64.const 32)) (i64.and (local.get $b) (i64.const 0xffffffff)))
      (i64.shr_u (local.get $t) (i64.const 32))))
    (local.set $v (i64.add
      (i64.mul (i64.and (local.get $a) (i64.const 0xffffffff)) (i64.shr_u (local.get $b) (i64.const 32)))
      (i64.and (local.get $u) (i64.const 0xffffffff))))
    (global.set $low (i64.or
      (i64.shl (local.get $v) (i64.const 32))
      (i64.and (local.get $t) (i64.const 0xffffffff))))
    (i64.add
      (i64.mul (i64.shr_u (local.get $a) (i64.const 32)) (i64.shr_u (local.get $b) (i64.const 32)))
      (i64.add (i64.shr_u (local.get $u) (i64.const 32)) (i64.shr_u (local.get $v) (i64.const 32)))))

  ;; Below 0x1fe where the number after `nearest` has the same double, and so has what is between them: it has the same bits
  ;; but for the lowest nine.
  (global $reach (mut i64) (i64.const 0))

  ;; The bits of the double that is nearest to `digits` times ten to the power of `exponent`, which is from -64 to 64. The
  ;; digits are not 0. By Lemire, "Number parsing at a gigabyte per second", 2021, with the powers of five of `PowersOfFive.ts`.
  (func $nearest (param $digits i64) (param $exponent i32) (result i64)
    (local $zeros i64)
    (local $power i32)
    (local $high i64)
    (local $first i64)
    (local $more i64)
    (local $shift i64)
    (local $mantissa i64)
    (local $binary i64)
    (local.set $zeros (i64.clz (local.get $digits)))
    (local.set $digits (i64.shl (local.get $digits) (local.get $zeros)))
    (local.set $power (i32.add
      (i32.const 64)
      (i32.shl (i32.add (local.get $exponent) (i32.const 64)) (i32.const 4))))
    (local.set $high (call $product (local.get $digits) (i64.load (local.get $power))))
    (if (i64.eq (i64.and (local.get $high) (i64.const 0x1ff)) (i64.const 0x1ff))
      (then
        ;; The lower half of the power may change the bits that count.
        (local.set $first (global.get $low))
        (local.set $more (call $product (local.get $digits) (i64.load offset=8 (local.get $power))))
        (global.set $low (i64.add (local.get $first) (local.get $more)))
        ;; A sum less than what was added has a carry.
        (local.set $high (i64.add
          (local.get $high)
          (i64.extend_i32_u (i64.lt_u (global.get $low) (local.get $more)))))))
    (global.set $reach (i64.add
      (i64.and (i64.sub (local.get $high) (i64.const 1)) (i64.const 0x1ff))
      (i64.shl (i64.const 1) (local.get $zeros))))
    (local.set $shift (i64.add (i64.shr_u (local.get $high) (i64.const 63)) (i64.const 9)))
    (local.set $mantissa (i64.shr_u (local.get $high) (local.get $shift)))
    (local.set $binary (i64.extend_i32_s (i32.add
      (i32.shr_s (i32.mul (i32.const 217706) (local.get $exponent)) (i32.const 16))
      (i32.const 1077))))
    (local.set $binary (i64.sub (i64.add (local.get $binary) (local.get $shift)) (local.get $zeros)))
    ;; Half-way between two doubles: the even one.
    (if (i64.le_u (global.get $low) (i64.const 1))
      (then
        (if (i32.and
              (i32.le_u (i32.add (local.get $exponent) (i32.const 4)) (i32.const 27))
              (i32.and
                (i64.eq (i64.and (local.get $mantissa) (i64.const 3)) (i64.const 1))
                (i64.eq (i64.shl (local.get $mantissa) (local.get $shift)) (local.get $high))))
          (then (local.set $mantissa (i64.sub (local.get $mantissa) (i64.const 1)))))))
    (local.set $mantissa (i64.shr_u
      (i64.add (local.get $mantissa) (i64.and (local.get $mantissa) (i64.const 1)))
      (i64.const 1)))
    ;; A mantissa that was rounded up to another bit carries into the exponent.
    (i64.add
      (i64.sub (local.get $mantissa) (i64.const 0x10000000000000))
      (i64.shl (local.get $binary) (i64.const 52))))

  ;; The bits of a double that is nearest to a decimal, such as -12.5. Fails for other forms, for a number far from 1, and
  ;; where digits after the nineteenth decide.
  (func $double (param $at i32) (param $length i32) (result i64)
    (local $end i32)
    (local $sign i64)
    (local $isPoint i32)
    (local $points i32)   ;; a bit for each of the first 32 bytes, 1 for a point
    (local $point i32)    ;; where the first one is, later counted from sixteen bytes before the end
    (local $count i32)    ;; of the digits
    (local $exponent i32)
    (local $upper i64)    ;; the digits before the last sixteen
    (local $digits i64)
    (local $limit i64)    ;; above the upper digits that fit nineteen
    (local $scale i64)    ;; what one of them counts
    (local $rest i64)     ;; 0 where all further digits are
    (local $bits i64)
    (global.set $bad (i32.const 0))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 45)) ;; minus
      (then
        (local.set $sign (i64.const 0x8000000000000000))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $length (i32.sub (local.get $length) (i32.const 1)))))
    (if (i32.gt_s (local.get $length) (i32.const 32))
      (then
        ;; The zeros that it begins with, and the point.
        (loop $skip
          (local.set $isPoint (i32.eq (i32.load8_u (local.get $at)) (i32.const 46)))
          (if (i32.and
                (i32.gt_s (local.get $length) (i32.const 32))
                (i32.or
                  (i32.eq (i32.load8_u (local.get $at)) (i32.const 48))
                  (i32.gt_u (local.get $isPoint) (local.get $exponent))))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $length (i32.sub (local.get $length) (i32.const 1)))
              (if (local.get $isPoint) (then (local.set $exponent (i32.sub (i32.const 0) (local.get $length)))))
              (br $skip))))
        ;; Digits behind 32 bytes only decide how the others are rounded.
        (block $cut
          (loop $more
            (br_if $cut (i32.le_s (local.get $length) (i32.const 32)))
            (local.set $length (i32.sub (local.get $length) (i32.const 1)))
            (local.set $exponent (i32.add (local.get $exponent) (i32.const 1)))
            (local.set $bits (i64.sub (i64.load8_u (i32.add (local.get $at) (local.get $length))) (i64.const 48)))
            (call $fail (i64.gt_u (local.get $bits) (i64.const 9)))
            (local.set $rest (i64.or (local.get $rest) (local.get $bits)))
            (br $more)))))
    (local.set $points (i32.or
      (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (i8x16.splat (i32.const 46))))
      (i32.shl
        (i8x16.bitmask (i8x16.eq (v128.load offset=16 (local.get $at)) (i8x16.splat (i32.const 46))))
        (i32.const 16))))
    (local.set $point (i32.ctz (local.get $points)))
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $count (local.get $length))
    (if (i32.lt_s (local.get $point) (local.get $length))
      (then
        (call $fail (i32.lt_s (local.get $exponent) (i32.const 0)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $exponent (i32.sub (local.get $point) (local.get $count)))
        (local.set $point (i32.add (local.get $exponent) (i32.const 15))))
      (else (local.set $point (global.get $none))))
    (call $fail (i32.le_s (local.get $count) (i32.const 0)))
    (local.set $digits (call $digits (local.get $end) (local.get $point) (local.get $count)))
    (if (i32.gt_s (local.get $count) (i32.const 16))
      (then
        (local.set $upper (call $digits
          (i32.sub (local.get $end) (i32.const 16))
          (i32.add (local.get $point) (i32.const 16))
          (i32.sub (local.get $count) (i32.const 16))))
        (local.set $limit (i64.const 1000))
        (local.set $scale (i64.const 10000000000000000))
        (loop $shorten
          (if (i64.ge_u (local.get $upper) (local.get $limit))
            (then
              (local.set $bits (i64.div_u (local.get $digits) (i64.const 10)))
              (local.set $rest (i64.or
                (local.get $rest)
                (i64.sub (local.get $digits) (i64.mul (local.get $bits) (i64.const 10)))))
              (local.set $digits (local.get $bits))
              (local.set $limit (i64.mul (local.get $limit) (i64.const 10)))
              (local.set $scale (i64.div_u (local.get $scale) (i64.const 10)))
              (local.set $exponent (i32.add (local.get $exponent) (i32.const 1)))
              (br $shorten))))
        (local.set $digits (i64.add (i64.mul (local.get $upper) (local.get $scale)) (local.get $digits)))))
    (if (i64.eqz (i64.or (local.get $digits) (local.get $rest))) (then (return (local.get $sign))))
    (call $fail (i64.eqz (local.get $digits)))
    (call $fail (i32.gt_u (i32.add (local.get $exponent) (i32.const 64)) (i32.const 128)))
    (if (global.get $bad) (then (return (i64.const 0))))
    (if (i32.eqz (i32.or (local.get $exponent) (i64.ne (local.get $rest) (i64.const 0))))
      (then
        (return (i64.or (i64.reinterpret_f64 (f64.convert_i64_u (local.get $digits))) (local.get $sign)))))
    (local.set $bits (call $nearest (local.get $digits) (local.get $exponent)))
    (if (i32.and (i64.ne (local.get $rest) (i64.const 0)) (i64.gt_u (global.get $reach) (i64.const 0x1fd)))
      (then
        (call $fail (i64.ne
          (local.get $bits)
          (call $nearest (i64.add (local.get $digits) (i64.const 1)) (local.get $exponent))))))
    (i64.or (local.get $bits) (local.get $sign)))

  ;; A whole number of up to eighteen digits, such as -12. Fails for other forms.
  (func $integer (param $at i32) (param $length i32) (result i64)
    (local $end i32)
    (local $isNegative i32)
    (local $digits i64)
    (global.set $bad (i32.const 0))
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $isNegative (i32.eq (i32.load8_u (local.get $at)) (i32.const 45))) ;; minus
    (local.set $length (i32.sub (local.get $length) (local.get $isNegative)))
    (call $fail (i32.gt_u (i32.sub (local.get $length) (i32.const 1)) (i32.const 17)))
    (local.set $digits (i64.add
      (call $digits (local.get $end) (global.get $none) (local.get $length))
      (i64.mul
        (call $digits
          (i32.sub (local.get $end) (i32.const 16))
          (global.get $none)
          (i32.sub (local.get $length) (i32.const 16)))
        (i64.const 10000000000000000))))
    (select
      (i64.sub (i64.const 0) (local.get $digits))
      (local.get $digits)
      (local.get $isNegative)))

  ;; Writes values of 64 bits: times of the form that series have where `kind` is 0, doubles where it is 1, whole numbers where
  ;; it is 2. Stops at any other form. A null is 0, and NaN of doubles.
  (func (export "words")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $place i32) (param $isNullable i32) (param $kind i32) (param $out i32)
    (result i32)
    (local $count i32)
    (local $nulls i32)
    (local $from i32)
    (local $length i32)
    (local $value i64)
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        (local.set $from (i32.load (i32.add (local.get $record) (local.get $place))))
        (local.set $length
          (i32.sub (i32.load offset=4 (i32.add (local.get $record) (local.get $place))) (local.get $from)))
        (local.set $from (i32.add (local.get $from) (local.get $shift)))
        (if (i32.eq (i32.load8_u (local.get $from)) (i32.const 34)) ;; quote
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 1)))
            (local.set $length (i32.sub (local.get $length) (i32.const 2)))
            (if (i32.eqz (local.get $kind))
              (then
                (br_if $stop (i32.ne (local.get $length) (i32.const 30)))
                (local.set $value (call $time (local.get $from))))
              (else
                (if (i32.eq (local.get $kind) (i32.const 1))
                  (then (local.set $value (call $double (local.get $from) (local.get $length))))
                  (else (local.set $value (call $integer (local.get $from) (local.get $length)))))))
            (br_if $stop (global.get $bad))
            (i64.store (local.get $out) (local.get $value))
            (local.set $out (i32.add (local.get $out) (i32.const 8))))
          (else
            (if (i32.eq (i32.load8_u (local.get $from)) (i32.const 110)) ;; null
              (then
                (br_if $stop (i32.eqz (local.get $isNullable)))
                (local.set $nulls (i32.add (local.get $nulls) (i32.const 1)))
                (i64.store (local.get $out) (select
                  (i64.const 0x7ff8000000000000)
                  (i64.const 0)
                  (i32.eq (local.get $kind) (i32.const 1))))
                (local.set $out (i32.add (local.get $out) (i32.const 8))))
              (else
                ;; A JSON number.
                (br_if $stop (i32.ne (local.get $kind) (i32.const 1)))
                (local.set $value (call $double (local.get $from) (local.get $length)))
                (br_if $stop (global.get $bad))
                (i64.store (local.get $out) (local.get $value))
                (local.set $out (i32.add (local.get $out) (i32.const 8)))))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (i32.store offset=4 (i32.const 0) (local.get $nulls))
    (local.get $out))

  ;; Whether as many bytes at two addresses are the same.
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

  ;; Writes the bytes of texts one behind the other, and to `ends` where each ends, with `bias` added. A value that is no text is
  ;; written as it stands, and so is a text where `isJson`, with its quotes. A null takes no bytes.
  (func (export "texts")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $place i32) (param $isNullable i32) (param $isJson i32) (param $ends i32) (param $out i32) (param $bias i32)
    (result i32)
    (local $count i32)
    (local $nulls i32)
    (local $from i32)
    (local $length i32)
    (local $first i32)  ;; the first byte of a value
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        (local.set $from (i32.load (i32.add (local.get $record) (local.get $place))))
        (local.set $length
          (i32.sub (i32.load offset=4 (i32.add (local.get $record) (local.get $place))) (local.get $from)))
        (local.set $from (i32.add (local.get $from) (local.get $shift)))
        (local.set $first (i32.load8_u (local.get $from)))
        (if (i32.eq (local.get $first) (i32.const 110)) ;; null
          (then
            (br_if $stop (i32.eqz (local.get $isNullable)))
            (local.set $nulls (i32.add (local.get $nulls) (i32.const 1)))
            (local.set $length (i32.const 0)))
          (else
            (if (i32.and (i32.eq (local.get $first) (i32.const 34)) (i32.eqz (local.get $isJson))) ;; quote
              (then
                (local.set $from (i32.add (local.get $from) (i32.const 1)))
                (local.set $length (i32.sub (local.get $length) (i32.const 2)))))))
        (block $copied
          (loop $copy
            (br_if $copied (i32.le_s (local.get $length) (i32.const 0)))
            (v128.store (local.get $out) (v128.load (local.get $from)))
            (local.set $from (i32.add (local.get $from) (i32.const 16)))
            (local.set $out (i32.add (local.get $out) (i32.const 16)))
            (local.set $length (i32.sub (local.get $length) (i32.const 16)))
            (br $copy)))
        ;; What was copied beyond the last byte.
        (local.set $out (i32.add (local.get $out) (local.get $length)))
        (i32.store (local.get $ends) (i32.add (local.get $out) (local.get $bias)))
        (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (i32.store offset=4 (i32.const 0) (local.get $nulls))
    (local.get $out))

  ;; Writes the codes of texts, 32 bits each, 0 for null. `words` is where the number of known words is, and then the address,
  ;; the length and the code of each. Stops at a text that is none of them.
  (func (export "codes")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $place i32) (param $isNullable i32) (param $words i32) (param $out i32)
    (result i32)
    (local $count i32)
    (local $nulls i32)
    (local $from i32)
    (local $length i32)
    (local $entry i32)
    (local $entriesEnd i32)
    (local $code i32)
    (local $last i32)        ;; the text before this one
    (local $lastLength i32)
    (local.set $lastLength (i32.const -1))
    (local.set $entriesEnd
      (i32.add (i32.add (local.get $words) (i32.const 4)) (i32.mul (i32.load (local.get $words)) (i32.const 12))))
    (block $stop
      (loop $more
        (br_if $stop (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        (local.set $from (i32.load (i32.add (local.get $record) (local.get $place))))
        (local.set $length
          (i32.sub (i32.load offset=4 (i32.add (local.get $record) (local.get $place))) (local.get $from)))
        (local.set $from (i32.add (local.get $from) (local.get $shift)))
        (if (i32.eq (i32.load8_u (local.get $from)) (i32.const 34)) ;; quote
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 1)))
            (local.set $length (i32.sub (local.get $length) (i32.const 2)))
            (block $found
              (if (i32.eq (local.get $length) (local.get $lastLength))
                (then (br_if $found (call $same (local.get $from) (local.get $last) (local.get $length)))))
              (local.set $entry (i32.add (local.get $words) (i32.const 4)))
              (loop $next
                (br_if $stop (i32.ge_u (local.get $entry) (local.get $entriesEnd)))
                (local.set $code (i32.load offset=8 (local.get $entry)))
                (if (i32.eq (local.get $length) (i32.load offset=4 (local.get $entry)))
                  (then
                    (br_if $found
                      (call $same (local.get $from) (i32.load (local.get $entry)) (local.get $length)))))
                (local.set $entry (i32.add (local.get $entry) (i32.const 12)))
                (br $next)))
            (local.set $last (local.get $from))
            (local.set $lastLength (local.get $length))
            (i32.store (local.get $out) (local.get $code)))
          (else
            (br_if $stop (i32.eqz (local.get $isNullable)))
            (br_if $stop (i32.ne (i32.load8_u (local.get $from)) (i32.const 110))) ;; null
            (local.set $nulls (i32.add (local.get $nulls) (i32.const 1)))
            (i32.store (local.get $out) (i32.const 0))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (i32.store offset=4 (i32.const 0) (local.get $nulls))
    (local.get $out)))
