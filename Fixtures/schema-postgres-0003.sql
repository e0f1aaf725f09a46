ALTER TABLE refunds
  ADD COLUMN evidence_at bigint,
  ADD COLUMN extent_kind smallint,
  ADD COLUMN extent bigint,
  ADD COLUMN lot bigint,
  ADD COLUMN part_kind smallint,
  ADD COLUMN source_lot bigint,
  ADD COLUMN amount bigint;

ALTER TABLE purchases
  ADD COLUMN grant_currency smallint, ADD COLUMN grant_lot bigint, ADD COLUMN grant_amount bigint;

DROP TABLE refund_states;
