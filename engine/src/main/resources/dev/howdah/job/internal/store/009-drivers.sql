-- Functions for what drivers send.

-- howdah.add_many, add_keyed_many, add_workflow, add_to_workflow, add_to_pipeline, put_pipeline,
-- schedule
\ir 009-drivers/add.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 9, '009-drivers.sql');
