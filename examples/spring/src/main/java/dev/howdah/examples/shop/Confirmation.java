package dev.howdah.examples.shop;

/** The payload of a job that confirms an order. */
record Confirmation(long order) {}
