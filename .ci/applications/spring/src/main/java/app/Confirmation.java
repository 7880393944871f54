package app;

record Confirmation(long order) {}
