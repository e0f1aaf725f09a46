UPDATE lanes SET layout = layout + 1;

ALTER TABLE holds
  ADD COLUMN begun_at bigint, ADD COLUMN currency smallint, ADD COLUMN lot bigint, ADD COLUMN amount bigint,
  ADD CHECK ((currency IS NULL) = (lot IS NULL) AND (lot IS NULL) = (amount IS NULL));
