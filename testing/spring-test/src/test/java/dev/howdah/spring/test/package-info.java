/** Tests of an application with the slice; the module spring-boot-4 compiles and runs the same. */
@NullMarked
package dev.howdah.spring.test;

import org.jspecify.annotations.NullMarked;
