package dev.howdah.job;

/** The stage is done, and the job goes on as one of that kind in that queue. */
record Move(String queue, String kind, Object payload) implements Outcome {}
