ALTER TABLE holds
  ADD COLUMN begun_at bigint, ADD COLUMN currency smallint, ADD COLUMN lot bigint, ADD COLUMN amount bigint;
