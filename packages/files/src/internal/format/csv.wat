;; Writes values of a batch as lines of CSV. `CsvBatch.ts` says what is where in memory; `pnpm wasm` compiles this file.
;;
;; Values are copied sixteen bytes at a time, so up to fifteen bytes behind each are read, and written behind its copy, where the
;; next bytes take their place.
(module
  (memory (import "batch" "memory") 1)

  ;; Copies bytes. Returns whether there is a delimiter among them.
  (func $copy (param $from i32) (param $length i32) (param $to i32) (param $delimiters v128) (result i32)
    (local $bytes v128)
    (local $found i32)
    (block $end
      (loop $more
        (br_if $end (i32.le_s (local.get $length) (i32.const 0)))
        (local.set $bytes (v128.load (local.get $from)))
        (v128.store (local.get $to) (local.get $bytes))
        ;; Bits beyond the length are shifted out: by 32 less what is left of it, below 16.
        (local.set $found (i32.or (local.get $found)
          (i32.shl
            (i8x16.bitmask
              (i8x16.eq (local.get $bytes) (local.get $delimiters)))
            (select
              (i32.sub (i32.const 32) (local.get $length))
              (i32.const 0)
              (i32.lt_s (local.get $length) (i32.const 16))))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $length (i32.sub (local.get $length) (i32.const 16)))
        (br $more)))
    (local.get $found))

  ;; Writes a line for each record, as long as there is room for the longest. Returns where the lines end; the first word
  ;; says how many records were written.
  ;;
  ;; A column is the distance from the offsets of a record to those of its value; 0 where the records lack it.
  (func (export "write")
    (param $record i32) (param $stride i32) (param $recordsEnd i32) (param $shift i32)
    (param $columns i32) (param $columnsEnd i32) (param $out i32) (param $outEnd i32)
    (param $delimiter i32)
    (result i32)
    (local $count i32)
    (local $column i32)
    (local $line i32)   ;; where the current line begins
    (local $from i32)
    (local $length i32)
    (local $first i32)  ;; the first byte of a value
    (local $delimiters v128)
    (local.set $delimiters (i8x16.splat (local.get $delimiter)))
    (block $full
      (loop $more
        (br_if $full (i32.ge_u (local.get $record) (local.get $recordsEnd)))
        ;; The values, a delimiter for each column, a line end, a pair of quotes, and what is copied beyond.
        (br_if $full (i32.gt_u
          (i32.add
            (i32.add (local.get $out) (i32.shr_u (i32.sub (local.get $columnsEnd) (local.get $columns)) (i32.const 2)))
            (i32.add
              (i32.sub
                (i32.load (i32.add (local.get $record) (i32.sub (local.get $stride) (i32.const 4))))
                (i32.load (local.get $record)))
              (i32.const 32)))
          (local.get $outEnd)))
        (local.set $line (local.get $out))
        (local.set $column (local.get $columns))
        (loop $cell
          (local.set $from (i32.load (local.get $column)))
          (if (local.get $from)
            (then
              (local.set $length (i32.load offset=4 (i32.add (local.get $record) (local.get $from))))
              (local.set $from (i32.load (i32.add (local.get $record) (local.get $from))))
              (local.set $length (i32.sub (local.get $length) (local.get $from)))
              (local.set $from (i32.add (local.get $from) (local.get $shift)))
              (local.set $first (i32.load8_u (local.get $from)))
              (if (i32.eq (local.get $first) (i32.const 34)) ;; quote
                (then
                  ;; An empty text is a pair of quotes, as it is in JSON. So is a text with a delimiter, between its quotes.
                  (if (i32.eq (local.get $length) (i32.const 2))
                    (then
                      (i32.store16 (local.get $out) (i32.const 0x2222))
                      (local.set $out (i32.add (local.get $out) (i32.const 2))))
                    (else
                      (if (call $copy
                            (i32.add (local.get $from) (i32.const 1))
                            (i32.sub (local.get $length) (i32.const 2))
                            (local.get $out)
                            (local.get $delimiters))
                        (then (drop
                          (call $copy (local.get $from) (local.get $length) (local.get $out) (local.get $delimiters))))
                        (else (local.set $length (i32.sub (local.get $length) (i32.const 2)))))
                      (local.set $out (i32.add (local.get $out) (local.get $length))))))
                (else
                  (if (i32.ne (local.get $first) (i32.const 110)) ;; null is an empty cell
                    (then
                      (drop (call $copy (local.get $from) (local.get $length) (local.get $out) (local.get $delimiters)))
                      (local.set $out (i32.add (local.get $out) (local.get $length)))))))))
          (i32.store8 (local.get $out) (local.get $delimiter))
          (local.set $out (i32.add (local.get $out) (i32.const 1)))
          (local.set $column (i32.add (local.get $column) (i32.const 4)))
          (br_if $cell (i32.lt_u (local.get $column) (local.get $columnsEnd))))
        ;; An empty line would be skipped by readers.
        (if (i32.eq (i32.sub (local.get $out) (local.get $line)) (i32.const 1))
          (then
            (i32.store16 (local.get $line) (i32.const 0x2222))
            (local.set $out (i32.add (local.get $line) (i32.const 3)))))
        ;; In place of the last delimiter.
        (i32.store16 (i32.sub (local.get $out) (i32.const 1)) (i32.const 0x0a0d))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (local.set $record (i32.add (local.get $record) (local.get $stride)))
        (br $more)))
    (i32.store (i32.const 0) (local.get $count))
    (local.get $out)))
