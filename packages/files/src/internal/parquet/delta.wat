;; Packs 64-bit integers as Parquet's DELTA_BINARY_PACKED, in blocks of 128 values and 4 parts, and unpacks them. `Delta.ts` says what
;; is where in memory; `pnpm wasm` compiles this file.
(module
  (memory (export "memory") 1)

  ;; Where the next byte goes.
  (global $out (mut i32) (i32.const 0))

  ;; Writes an unsigned integer, seven bits a byte, the lowest first.
  (func $varint (param $value i64)
    (loop $more
      (if (i64.gt_u (local.get $value) (i64.const 127))
        (then
          (i64.store8 (global.get $out) (i64.or (local.get $value) (i64.const 128)))
          (global.set $out (i32.add (global.get $out) (i32.const 1)))
          (local.set $value (i64.shr_u (local.get $value) (i64.const 7)))
          (br $more))))
    (i64.store8 (global.get $out) (local.get $value))
    (global.set $out (i32.add (global.get $out) (i32.const 1))))

  ;; Writes a signed integer: those next to 0 are short.
  (func $zigzag (param $value i64)
    (call $varint (i64.xor
      (i64.shl (local.get $value) (i64.const 1))
      (i64.shr_s (local.get $value) (i64.const 63)))))

  ;; Packs 32 integers with as many bits each, without what is above them. Writes up to eight bytes beyond.
  (func $pack (param $at i32) (param $width i64)
    (local $end i32)
    (local $bits i64)   ;; that wait for more
    (local $used i64)   ;; how many they are
    (local $value i64)
    (local $to i32)
    (local.set $end (i32.add (local.get $at) (i32.const 256)))
    (local.set $to (global.get $out))
    (loop $more
      (local.set $value (i64.load (local.get $at)))
      (local.set $bits (i64.or (local.get $bits) (i64.shl (local.get $value) (local.get $used))))
      (local.set $used (i64.add (local.get $used) (local.get $width)))
      (if (i64.ge_u (local.get $used) (i64.const 64))
        (then
          (i64.store (local.get $to) (local.get $bits))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))
          (local.set $used (i64.sub (local.get $used) (i64.const 64)))
          ;; The bits of the value that found no room: none where it ended with them.
          (local.set $bits (select
            (i64.shr_u (local.get $value) (i64.sub (local.get $width) (local.get $used)))
            (i64.const 0)
            (i64.ne (local.get $used) (i64.const 0))))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $end))))
    (i64.store (local.get $to) (local.get $bits))
    (global.set $out (i32.add (global.get $out) (i32.shl (i32.wrap_i64 (local.get $width)) (i32.const 2)))))

  ;; Packs integers from one address to another; there is at least one. Returns where the result ends. The first two words of 64
  ;; bits are the least and the greatest of them. 1,024 bytes at `block` are for the differences of a block.
  (func (export "pack") (param $at i32) (param $end i32) (param $block i32) (param $to i32) (result i32)
    (local $value i64)
    (local $before i64)
    (local $least i64)
    (local $greatest i64)
    (local $smallest i64)  ;; difference of the block
    (local $difference i64)
    (local $used i64)      ;; bits that a difference of the part has
    (local $write i32)
    (local $writeEnd i32)
    (local $widths i32)
    (local $part i32)
    (local $in i32)
    (global.set $out (local.get $to))
    (call $varint (i64.const 128))
    (call $varint (i64.const 4))
    (call $varint (i64.extend_i32_u (i32.shr_u (i32.sub (local.get $end) (local.get $at)) (i32.const 3))))
    (local.set $before (i64.load (local.get $at)))
    (local.set $least (local.get $before))
    (local.set $greatest (local.get $before))
    (call $zigzag (local.get $before))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        ;; The differences of a block.
        (local.set $smallest (i64.const 0x7fffffffffffffff))
        (local.set $write (local.get $block))
        (local.set $writeEnd (i32.add (local.get $block) (i32.const 1024)))
        (loop $more
          (local.set $value (i64.load (local.get $at)))
          (local.set $difference (i64.sub (local.get $value) (local.get $before)))
          (i64.store (local.get $write) (local.get $difference))
          (local.set $before (local.get $value))
          (if (i64.lt_s (local.get $difference) (local.get $smallest))
            (then (local.set $smallest (local.get $difference))))
          (if (i64.lt_s (local.get $value) (local.get $least)) (then (local.set $least (local.get $value))))
          (if (i64.gt_s (local.get $value) (local.get $greatest)) (then (local.set $greatest (local.get $value))))
          (local.set $write (i32.add (local.get $write) (i32.const 8)))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br_if $more (i32.and
            (i32.lt_u (local.get $write) (local.get $writeEnd))
            (i32.lt_u (local.get $at) (local.get $end)))))
        (call $zigzag (local.get $smallest))
        (local.set $widths (global.get $out))
        (i32.store (local.get $widths) (i32.const 0))
        (global.set $out (i32.add (global.get $out) (i32.const 4)))
        ;; Four parts of 32; those without a value have no bits.
        (local.set $part (local.get $block))
        (loop $each
          (if (i32.lt_u (local.get $part) (local.get $write))
            (then
              (local.set $used (i64.const 0))
              (local.set $in (local.get $part))
              (loop $less
                (if (i32.lt_u (local.get $in) (local.get $write))
                  (then
                    (local.set $difference (i64.sub (i64.load (local.get $in)) (local.get $smallest)))
                    (local.set $used (i64.or (local.get $used) (local.get $difference))))
                  (else (local.set $difference (i64.const 0))))
                (i64.store (local.get $in) (local.get $difference))
                (local.set $in (i32.add (local.get $in) (i32.const 8)))
                (br_if $less (i32.lt_u (local.get $in) (i32.add (local.get $part) (i32.const 256)))))
              (local.set $used (i64.sub (i64.const 64) (i64.clz (local.get $used))))
              (i64.store8 (local.get $widths) (local.get $used))
              (if (i64.ne (local.get $used) (i64.const 0))
                (then (call $pack (local.get $part) (local.get $used))))))
          (local.set $widths (i32.add (local.get $widths) (i32.const 1)))
          (local.set $part (i32.add (local.get $part) (i32.const 256)))
          (br_if $each (i32.lt_u (local.get $part) (local.get $writeEnd))))
        (br $next)))
    (i64.store (i32.const 0) (local.get $least))
    (i64.store offset=8 (i32.const 0) (local.get $greatest))
    (global.get $out))

  ;; Where the next byte is read.
  (global $in (mut i32) (i32.const 0))

  ;; Reads what `varint` writes.
  (func $readVarint (result i64)
    (local $value i64)
    (local $shift i64)
    (local $byte i64)
    (loop $more
      (local.set $byte (i64.load8_u (global.get $in)))
      (global.set $in (i32.add (global.get $in) (i32.const 1)))
      (local.set $value (i64.or
        (local.get $value)
        (i64.shl (i64.and (local.get $byte) (i64.const 127)) (local.get $shift))))
      (local.set $shift (i64.add (local.get $shift) (i64.const 7)))
      (br_if $more (i64.gt_u (local.get $byte) (i64.const 127))))
    (local.get $value))

  ;; Reads what `zigzag` writes.
  (func $readZigzag (result i64)
    (local $value i64)
    (local.set $value (call $readVarint))
    (i64.xor
      (i64.shr_u (local.get $value) (i64.const 1))
      (i64.sub (i64.const 0) (i64.and (local.get $value) (i64.const 1)))))

  ;; Unpacks so many integers at an address to another. Returns where they end; 0 where they are others, or not packed as above.
  ;; Reads up to nine bytes beyond.
  (func (export "unpack") (param $at i32) (param $to i32) (param $count i32) (result i32)
    (local $end i32)
    (local $value i64)
    (local $smallest i64)  ;; difference of the block
    (local $widths i32)
    (local $part i32)
    (local $partEnd i32)
    (local $width i64)
    (local $mask i64)
    (local $bit i64)
    (local $shift i64)
    (local $from i32)
    (local $bits i64)
    (global.set $in (local.get $at))
    (if (i64.ne (call $readVarint) (i64.const 128)) (then (return (i32.const 0))))
    (if (i64.ne (call $readVarint) (i64.const 4)) (then (return (i32.const 0))))
    (if (i64.ne (call $readVarint) (i64.extend_i32_u (local.get $count))) (then (return (i32.const 0))))
    (local.set $value (call $readZigzag))
    (if (i32.eqz (local.get $count)) (then (return (global.get $in))))
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 3))))
    (i64.store (local.get $to) (local.get $value))
    (local.set $to (i32.add (local.get $to) (i32.const 8)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
        (local.set $smallest (call $readZigzag))
        (local.set $widths (global.get $in))
        (global.set $in (i32.add (global.get $in) (i32.const 4)))
        (local.set $part (i32.const 0))
        (loop $each
          (local.set $width (i64.load8_u (i32.add (local.get $widths) (local.get $part))))
          (if (i64.gt_u (local.get $width) (i64.const 64)) (then (return (i32.const 0))))
          (local.set $mask (select
            (i64.const -1)
            (i64.sub (i64.shl (i64.const 1) (local.get $width)) (i64.const 1))
            (i64.eq (local.get $width) (i64.const 64))))
          (local.set $partEnd (i32.add (local.get $to) (i32.const 256)))
          (if (i32.gt_u (local.get $partEnd) (local.get $end)) (then (local.set $partEnd (local.get $end))))
          (local.set $bit (i64.const 0))
          (loop $more
            (local.set $from (i32.add (global.get $in) (i32.wrap_i64 (i64.shr_u (local.get $bit) (i64.const 3)))))
            (local.set $shift (i64.and (local.get $bit) (i64.const 7)))
            (local.set $bits (i64.shr_u (i64.load (local.get $from)) (local.get $shift)))
            (if (i64.gt_u (i64.add (local.get $shift) (local.get $width)) (i64.const 64))
              (then (local.set $bits (i64.or
                (local.get $bits)
                (i64.shl (i64.load8_u offset=8 (local.get $from)) (i64.sub (i64.const 64) (local.get $shift)))))))
            (local.set $value (i64.add
              (i64.add (local.get $value) (local.get $smallest))
              (i64.and (local.get $bits) (local.get $mask))))
            (i64.store (local.get $to) (local.get $value))
            (local.set $bit (i64.add (local.get $bit) (local.get $width)))
            (local.set $to (i32.add (local.get $to) (i32.const 8)))
            (br_if $more (i32.lt_u (local.get $to) (local.get $partEnd))))
          (global.set $in (i32.add (global.get $in) (i32.shl (i32.wrap_i64 (local.get $width)) (i32.const 2))))
          (local.set $part (i32.add (local.get $part) (i32.const 1)))
          (br_if $each (i32.and
            (i32.lt_u (local.get $part) (i32.const 4))
            (i32.lt_u (local.get $to) (local.get $end)))))
        (br $next)))
    (global.get $in)))
